/** Filters and page keys of lists of deliveries. */
import type { AccountId, RequestId } from "#domain/Ids.ts"
import type { WebhookEventName } from "#domain/inference-request/Event.ts"
import type { DeliveryStatus } from "./DeliveryItem.ts"

/** Where a page ended. The next page starts after it, whatever was added since. */
export interface PageKey {
  /** Unix time in ms. */
  readonly createdAt: number
  readonly deliveryId: string
}

export interface Filter {
  readonly accountId: AccountId
  readonly requestId?: RequestId | undefined
  readonly status?: DeliveryStatus | undefined
  readonly event?: WebhookEventName | undefined
}

/**
 * Failed deliveries of an account that can be sent again, created from `since` (inclusive) to `until` (exclusive), Unix time
 * in ms.
 */
export interface Failed {
  readonly accountId: AccountId
  readonly since: number
  readonly until: number
}
