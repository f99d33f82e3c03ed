/** `GET /webhooks/deliveries`: a page of the account's deliveries, newest first (contract, "Webhook management"). */
import { Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import type { Filter } from "#projections/deliveries/DeliveryFilter.ts"
import { DeliveryStatus } from "#projections/deliveries/DeliveryItem.ts"
import * as DeliveryView from "#src/features/webhooks/views/DeliveryView.ts"
import { Webhooks } from "#src/features/webhooks/Webhooks.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"

const defaultLimit = 10

const endpoint = HttpApiEndpoint.get("listDeliveries", "/webhooks/deliveries", {
  query: {
    requestId: ListParameters.text("Only this request."),
    status: ListParameters.text("Only this status.", { enum: [...DeliveryStatus.literals] }),
    event: ListParameters.text("Only this event.", { enum: [...WebhookEventName.literals] }),
    ...ListParameters.page,
    limit: ListParameters.text("Of one page.", { ...ListParameters.limitForm, default: defaultLimit })
  },
  success: DeliveryView.ListBody,
  error: CommonResponses.usual
})
  .annotate(Requires, "webhooks:read")
  .annotate(OpenApi.Summary, "List deliveries")
  .annotate(
    OpenApi.Description,
    "Newest first. Pages by number shift when deliveries are added; pages by `cursor` neither miss nor repeat one."
  )

export const parseFilter = (
  query: Route.Call<typeof endpoint>["query"]
): Parsed.Parsed<Omit<Filter, "accountId">> =>
  Parsed.all({
    requestId: QueryFields.requestId(query.requestId),
    status: QueryFields.oneOf("status", DeliveryStatus.literals, query.status),
    event: QueryFields.oneOf("event", WebhookEventName.literals, query.event)
  })

const paging = PageQuery.make(
  Schema.Struct({ createdAt: Schema.Int, deliveryId: Schema.String }),
  defaultLimit
)

export const listDeliveries = Route.make(endpoint, Webhooks, function* (webhooks, { query }, caller) {
  const parts = { filter: parseFilter(query), page: paging.parse(query) }
  const { filter, page } = yield* ErrorAnswer.orInvalid(Parsed.all(parts))
  const found = yield* webhooks.list({ caller, ...filter, ...page })
  return Answer.json(200, paging.body(page, found, DeliveryView.record))
})
