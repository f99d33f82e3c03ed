/** `GET /requests/{id}/events`: a page of what happened to a request, oldest first (decisions, "Timeline"). */
import { Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import * as Timeline from "#src/features/requests/Timeline.ts"
import * as TimelineView from "#src/features/requests/views/TimelineView.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"
import * as RequestIdParam from "../RequestIdParam.ts"
import * as RequestRoute from "../RequestRoute.ts"

const types = [...Timeline.types].sort()

const endpoint = HttpApiEndpoint.get("listRequestEvents", "/requests/:requestId/events", {
  params: RequestRoute.params,
  query: { type: ListParameters.text("Only events of this type."), ...ListParameters.page },
  success: TimelineView.ListBody,
  error: [CommonResponses.unauthorized, CommonResponses.forbidden, ...CommonResponses.usualOfOne]
})
  .annotate(Requires, "requests:read")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Everything that happened to a request",
      description: [
        "Every event of the request and of its webhook deliveries, oldest first, as the log has them at the time of the call.",
        "Events are only added, at the end, so a full page never changes. To see later events when `next` is null, get the",
        "same page again."
      ].join(" "),
      transform: ListParameters.withForms({
        ...ListParameters.pageForms(PageQuery.usualLimit),
        type: { enum: types }
      })
    })
  )

const paging = PageQuery.make(GlobalPosition.GlobalPosition)

export const listRequestEvents = Route.make(
  endpoint,
  Timeline.Timeline,
  function* (timeline, { params, query }, caller) {
    const id = yield* Effect.fromResult(RequestIdParam.parse(params.requestId))
    const parts = { type: QueryFields.oneOf("type", types, query.type), page: paging.parse(query) }
    const { page, type } = yield* ErrorAnswer.orInvalid(Parsed.all(parts))
    const found = yield* timeline.read({ caller, id, type, ...page })
    return Answer.json(200, paging.body(page, found, TimelineView.event))
  }
)
