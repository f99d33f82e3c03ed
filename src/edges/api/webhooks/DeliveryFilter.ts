/** The query parameters that choose among an account's deliveries (contract, "Webhook management"). */
import { Result } from "effect"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import type { Filter } from "#projections/deliveries/Deliveries.ts"
import { DeliveryStatus } from "#projections/deliveries/DeliveryItem.ts"
import { issues, type Parsed } from "#src/edges/http/requests/Parsed.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"

export interface DeliveryQuery {
  readonly requestId?: string | undefined
  readonly status?: string | undefined
  readonly event?: string | undefined
}

export const parse = (query: DeliveryQuery): Parsed<Omit<Filter, "accountId">> => {
  const parts = {
    requestId: QueryFields.requestId(query.requestId),
    status: QueryFields.oneOf("status", DeliveryStatus.literals, query.status),
    event: QueryFields.oneOf("event", WebhookEventName.literals, query.event)
  }
  return Result.all(parts).pipe(
    Result.map(({ event, requestId, status }) => ({
      ...(requestId !== undefined && { requestId }),
      ...(status !== undefined && { status }),
      ...(event !== undefined && { event })
    })),
    Result.mapError(() => issues(parts))
  )
}
