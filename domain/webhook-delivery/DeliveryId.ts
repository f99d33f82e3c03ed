/** Ids of deliveries: the `webhook-id` by which receivers detect repeats. */
import { Schema } from "effect"
import type { RequestId } from "../Ids.ts"
import type { WebhookEventName } from "../inference-request/Event.ts"

export const DeliveryId = Schema.String.check(Schema.isPattern(/^msg_[A-Za-z0-9_-]{22}$/)).pipe(
  Schema.brand("DeliveryId")
)
export type DeliveryId = typeof DeliveryId.Type

/**
 * The id of the only delivery of `event` for a request. It is deterministic, so scheduling twice creates one delivery
 * (decisions, "Delivery id").
 *
 * @param sha256Base64url hashes text; the domain computes no hashes itself.
 */
export const of = (
  requestId: RequestId,
  event: WebhookEventName,
  sha256Base64url: (text: string) => string
): DeliveryId =>
  DeliveryId.make(`msg_${sha256Base64url(`inferlog delivery of ${event} for ${requestId}`).slice(0, 22)}`)
