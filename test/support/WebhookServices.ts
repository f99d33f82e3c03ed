/** The services of the webhook routes, beside requests and accounts. They send nothing. */
import { Layer } from "effect"
import { Deliveries } from "#projections/deliveries/Deliveries.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { DeliveryActors } from "#src/features/webhooks/DeliveryActors.ts"
import { RecoveryActors } from "#src/features/webhooks/RecoveryActors.ts"
import { SigningSecrets } from "#src/features/webhooks/SigningSecrets.ts"
import { Webhooks } from "#src/features/webhooks/Webhooks.ts"
import { WebhookTester } from "#src/features/webhooks/WebhookTester.ts"

export const actors = Layer.merge(DeliveryActors.layer, RecoveryActors.layer)

export const layer = Layer.merge(Webhooks.layer, WebhookTester.layer).pipe(
  Layer.provideMerge(SigningSecrets.layer),
  Layer.provideMerge(Layer.merge(Deliveries.layer, SteadyTime.layer))
)
