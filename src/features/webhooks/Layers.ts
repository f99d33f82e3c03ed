import { Layer } from "effect"
import * as Telemetry from "#src/platform/telemetry/otlp/Telemetry.ts"
import * as DeliverySender from "./deliveries/DeliverySender.ts"
import * as Recoveries from "./deliveries/Recoveries.ts"
import { SigningSecrets } from "./SigningSecrets.ts"
import { Webhooks } from "./Webhooks.ts"
import { WebhookTester } from "./WebhookTester.ts"

/** Deliveries, signing secrets and tests for clients. */
export const layer = Layer.merge(Webhooks.layer, WebhookTester.layer).pipe(
  Layer.provideMerge(SigningSecrets.layer)
)

/** Sends due deliveries. */
export const layerSending = Layer.merge(DeliverySender.layer, Recoveries.layer).pipe(
  Layer.provide(Telemetry.untraced)
)
