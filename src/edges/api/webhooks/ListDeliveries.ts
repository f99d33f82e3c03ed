/** `GET /webhooks/deliveries`: a page of the account's deliveries, newest first (contract, "Webhook management"). */
import { Effect, Result, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import type { Filter } from "#projections/deliveries/DeliveryFilter.ts"
import { DeliveryStatus } from "#projections/deliveries/DeliveryItem.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import * as DeliveryView from "#src/features/webhooks/views/DeliveryView.ts"
import { Webhooks } from "#src/features/webhooks/Webhooks.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as Cursor from "#src/edges/http/requests/Cursor.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import { issues, type Parsed } from "#src/edges/http/requests/Parsed.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"
import * as ListView from "#src/platform/views/ListView.ts"
import * as DeliveryRoute from "./DeliveryRoute.ts"

const defaultLimit = 10

const endpoint = HttpApiEndpoint.get("listDeliveries", "/webhooks/deliveries", {
  query: {
    requestId: ListParameters.text("Of this request only."),
    status: ListParameters.text("In this status only."),
    event: ListParameters.text("Of this event only."),
    ...ListParameters.page
  },
  success: DeliveryView.ListBody,
  error: DeliveryRoute.errors
})
  .annotate(Requires, "webhooks:read")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "listDeliveries",
      summary: "List deliveries",
      description:
        "Newest first. Pages by number shift when deliveries are added; those by `cursor` neither miss nor repeat one.",
      transform: ListParameters.withForms({
        ...ListParameters.pageForms(defaultLimit),
        status: { enum: [...DeliveryStatus.literals] },
        event: { enum: [...WebhookEventName.literals] }
      })
    })
  )

type Query = Route.Call<typeof endpoint>["query"]

export const parseFilter = (query: Query): Parsed<Omit<Filter, "accountId">> => {
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

const paging = {
  cursor: Cursor.make(Schema.Struct({ createdAt: Schema.Int, deliveryId: Schema.String })),
  defaultLimit
}

export const listDeliveries = Route.make(
  endpoint,
  Effect.gen(function* () {
    const webhooks = yield* Webhooks

    return Effect.fnUntraced(function* ({ query }: Route.Call<typeof endpoint>, caller: Caller) {
      const parts = { filter: parseFilter(query), asked: PageQuery.parse(query, paging) }
      const { asked, filter } = yield* Refusal.orInvalid(
        Result.mapError(Result.all(parts), () => issues(parts))
      )
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
)
