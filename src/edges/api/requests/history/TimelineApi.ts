/** What happened to a request (decisions, "Timeline"). */
import { Layer, Effect } from "effect"
import { HttpApiGroup, OpenApi, HttpApiEndpoint } from "effect/http-api"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn, Requires, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import { types as eventTypes } from "#src/features/requests/Happening.ts"
import { expansions, Timeline } from "#src/features/requests/Timeline.ts"
import * as TimelineView from "#src/features/requests/views/TimelineView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as Expand from "#src/edges/http/requests/Expand.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"
import * as RequestRoute from "../RequestRoute.ts"

const types = [...eventTypes].sort()

const endpoint = HttpApiEndpoint.get("listRequestEvents", "/requests/:requestId/events", {
  params: RequestRoute.params,
  query: {
    type: ListParameters.text("Only events of this type.", { enum: types }),
    expand: ListParameters.texts(`Adds to each event: ${expansions.join(", ")}, comma-separated.`),
    ...ListParameters.page
  },
  success: TimelineView.ListBody,
  error: [CommonResponses.unauthorized, CommonResponses.forbidden, ...CommonResponses.usualOfOne]
})
  .annotate(Requires, "requests:read")
  .annotate(TakesTokens, "reads")
  .annotate(OpenApi.Summary, "Everything that happened to a request")
  .annotate(
    OpenApi.Description,
    [
      "Every event of the request and of its webhook deliveries, oldest first, as the log has them at the time of the call.",
      "Events are only added, at the end, so a full page never changes. To see later events when `next` is null, get the",
      "same page again. `expand=hashes` adds the place in the hash chain, `expand=states` what the request and its deliveries",
      "were after the event."
    ].join(" ")
  )

const paging = PageQuery.make(GlobalPosition.GlobalPosition)

const listRequestEvents = Route.make(endpoint, Timeline, function* (timeline, { params, query }, caller) {
  const id = yield* Effect.fromResult(RequestRoute.parseId(params.requestId))
  const parts = {
    type: QueryFields.oneOf("type", types, query.type),
    expand: Expand.parse(expansions, query.expand),
    page: paging.parse(query)
  }
  const { expand, page, type } = yield* ErrorAnswer.orInvalid(Parsed.all(parts))
  const found = yield* timeline.read({ caller, id, type, expand, ...page })
  return Answer.json(200, paging.body(page, found, TimelineView.event))
})

const routes = [listRequestEvents] as const

export class TimelineApi extends HttpApiGroup.make("timeline")
  .add(...Route.endpointsOf(routes))
  .middleware(Authorization.Authorization)
  .annotate(ServedOn, ["queue", "platform"])
  .annotate(OpenApi.Title, "Timeline")
  .annotate(OpenApi.Description, "Everything that happened to one request.") {}

export const layer = DeclaredRoutes.layer(Authorization.admit, routes).pipe(Layer.provide(Timeline.layer))
