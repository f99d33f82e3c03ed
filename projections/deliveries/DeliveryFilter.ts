/** What is asked for of the deliveries of an account. */
import type { AccountId, RequestId } from "#domain/Ids.ts"
import type { WebhookEventName } from "#domain/inference-request/Event.ts"
import type { DeliveryStatus } from "./DeliveryItem.ts"

/** Where a page ended: the next one begins behind it, whatever has been added since. */
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

/** The failed deliveries of an account that can be sent again, and were created from `since` on and before `until`, Unix time in ms. */
export interface Failed {
  readonly accountId: AccountId
  readonly since: number
  readonly until: number
}
