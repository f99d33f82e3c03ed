/** A delivery in lists (contract, "Webhook delivery record"). */
import { Schema } from "effect"
import { AccountId, RequestId } from "#domain/Ids.ts"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import { AttemptError } from "#domain/webhook-delivery/Event.ts"
import type { Phase } from "#domain/webhook-delivery/State.ts"

export const DeliveryStatus = Schema.Literals(["pending", "delivering", "delivered", "failed"])
export type DeliveryStatus = typeof DeliveryStatus.Type

const statuses: Record<Phase["_tag"], DeliveryStatus> = {
  Pending: "pending",
  Delivering: "delivering",
  Delivered: "delivered",
  Failed: "failed"
}

export const statusOf = ({ _tag }: Pick<Phase, "_tag">): DeliveryStatus => statuses[_tag]

/** Times are Unix time in ms. */
export const DeliveryItem = Schema.Struct({
  deliveryId: DeliveryId,
  accountId: AccountId,
  requestId: RequestId,
  event: WebhookEventName,
  url: Schema.String,
  status: DeliveryStatus,
  /** All attempts so far. */
  attempts: Schema.Int,
  lastResponseStatus: Schema.NullOr(Schema.Int),
  lastError: Schema.NullOr(AttemptError),
  /** Set while the delivery is `pending`. */
  nextAttemptAt: Schema.NullOr(Schema.Int),
  deliveredAt: Schema.NullOr(Schema.Int),
  createdAt: Schema.Int,
  updatedAt: Schema.Int
})
export type DeliveryItem = typeof DeliveryItem.Type
