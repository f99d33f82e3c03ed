/** `GET /webhooks/deliveries`: a page of the account's deliveries, newest first. */
import { Effect, Result, Schema } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Webhooks } from "#src/features/webhooks/Webhooks.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as Cursor from "#src/edges/http/requests/Cursor.ts"
import * as DeliveryFilter from "./DeliveryFilter.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as DeliveryView from "#src/features/webhooks/views/DeliveryView.ts"
import * as ListView from "#src/platform/views/ListView.ts"

export interface ListDeliveriesCall {
  readonly caller: Caller
  readonly query: DeliveryFilter.DeliveryQuery & PageQuery.PageQuery
}

const paging = {
  cursor: Cursor.make(Schema.Struct({ createdAt: Schema.Int, deliveryId: Schema.String })),
  defaultLimit: 10
}

export const make = Effect.gen(function* () {
  const webhooks = yield* Webhooks

  return Effect.fnUntraced(function* ({ caller, query }: ListDeliveriesCall) {
    const parts = { filter: DeliveryFilter.parse(query), asked: PageQuery.parse(query, paging) }
    const parsed = Result.all(parts)
    if (Result.isFailure(parsed)) return yield* Refusal.invalid(Parsed.issues(parts))
    const { asked, filter } = parsed.success
    const { items, next, total } = yield* webhooks.list({ caller, ...filter, ...asked })
    const { limit, page } = asked
    const body = ListView.of({
      page,
      limit,
      total,
      data: items.map(DeliveryView.record),
      next: next === null ? null : paging.cursor.encode({ page: page + 1, after: next })
    })
    return Answer.json(200, body)
  })
})
