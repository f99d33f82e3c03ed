/** Lists of deliveries, newest first (contract, "Webhook management"). */
import { Context, type Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountId, RequestId } from "#domain/Ids.ts"
import type { WebhookEventName } from "#domain/inference-request/Event.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import type { DeliveryItem, DeliveryStatus } from "./DeliveryItem.ts"

/** Where a page ended: the next one begins behind it, whatever has been added since. */
export interface Place {
  /** Unix time in ms. */
  readonly createdAt: number
  readonly deliveryId: string
}

export interface Filter {
  readonly accountId: AccountId
  readonly requestId?: RequestId
  readonly status?: DeliveryStatus
  readonly event?: WebhookEventName
}

/** The failed deliveries of an account that were created from `since` on and before `until`, Unix time in ms. */
export interface Failed {
  readonly accountId: AccountId
  readonly since: number
  readonly until: number
}

export class Deliveries extends Context.Service<
  Deliveries,
  {
    /**
     * A page of an account's deliveries, newest first: the `page`th one from 1, or with `after` the one behind that place.
     * `total`: of all that the filter lets through, from counters unless a request is named.
     */
    list(
      options: Filter & { readonly page: number; readonly after: Place | null; readonly limit: number }
    ): Effect.Effect<{ readonly total: number; readonly items: ReadonlyArray<DeliveryItem> }, SqlError>
    countFailed(failed: Failed): Effect.Effect<number, SqlError>
    /** Oldest first, after `after`, at most `limit`. */
    failed(
      options: Failed & { readonly after: Place | null; readonly limit: number }
    ): Effect.Effect<ReadonlyArray<Place & { readonly deliveryId: DeliveryId }>, SqlError>
  }
>()("inferlog/projections/Deliveries") {}
