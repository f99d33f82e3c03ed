/** What the server runs for webhooks. */
import { Layer } from "effect"
import * as Telemetry from "#src/platform/telemetry/otlp/Telemetry.ts"
import * as DeliverySender from "./deliveries/DeliverySender.ts"
import * as Recoveries from "./deliveries/Recoveries.ts"
import { SigningSecrets } from "./SigningSecrets.ts"
import { Webhooks } from "./Webhooks.ts"

/** For clients: deliveries and signing secrets. */
export const layer = Layer.merge(Webhooks.layer, SigningSecrets.layer)

/** Sends what is due. */
export const layerSending = Layer.merge(DeliverySender.layer, Recoveries.layer).pipe(
  Layer.provide(Telemetry.untraced)
)
