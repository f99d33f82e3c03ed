/** What the webhook routes need beside requests and accounts. Nothing here sends anything. */
import { Layer } from "effect"
import { Deliveries } from "#projections/deliveries/Deliveries.ts"
import { SteadyTime } from "#src/SteadyTime.ts"
import { DeliveryActors } from "#src/webhooks/DeliveryActors.ts"
import { RecoveryActors } from "#src/webhooks/RecoveryActors.ts"
import { SigningSecrets } from "#src/webhooks/SigningSecrets.ts"
import { Webhooks } from "#src/webhooks/Webhooks.ts"

export const actors = Layer.merge(DeliveryActors.layer, RecoveryActors.layer)

export const layer = Layer.merge(Webhooks.layer, SigningSecrets.layer).pipe(
  Layer.provideMerge(Layer.merge(Deliveries.layer, SteadyTime.layer))
)
