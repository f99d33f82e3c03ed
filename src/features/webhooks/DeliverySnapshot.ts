/** A delivery from its own stream, in the form of lists. */
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import type { Attempt, Delivery } from "#domain/webhook-delivery/State.ts"
import { type DeliveryItem, statusOf } from "#projections/deliveries/DeliveryItem.ts"

export interface DeliverySnapshot extends DeliveryItem {
  /** The newest attempts, oldest first. */
  readonly history: ReadonlyArray<Attempt>
}

export const of = (deliveryId: DeliveryId, delivery: Delivery): DeliverySnapshot => {
  const { phase, scheduled } = delivery
  return {
    deliveryId,
    accountId: scheduled.accountId,
    requestId: scheduled.requestId,
    event: scheduled.event,
    url: scheduled.url,
    status: statusOf(phase),
    attempts: delivery.attempts,
    lastResponseStatus: delivery.lastResponseStatus,
    lastError: delivery.lastError,
    nextAttemptAt: phase._tag === "Pending" ? phase.nextAttemptAt : null,
    deliveredAt: delivery.deliveredAt,
    createdAt: scheduled.at,
    updatedAt: delivery.updatedAt,
    history: delivery.history
  }
}
