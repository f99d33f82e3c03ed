/** What happened to a request (decisions, "Timeline"). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Timeline from "#src/features/requests/Timeline.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as TimelineView from "#src/features/requests/views/TimelineView.ts"
import { Authorization } from "#src/edges/http/api/Authorization.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import { Requires, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"

const list = HttpApiEndpoint.get("listRequestEvents", "/requests/:requestId/events", {
  params: {
    requestId: Schema.String.annotate({ description: "21 characters of `A-Za-z0-9_-`." })
  },
  query: {
    type: ListParameters.text("Events of this type only."),
    ...ListParameters.page
  },
  success: TimelineView.ListBody,
  error: [
    CommonResponses.badRequest,
    CommonResponses.unauthorized,
    CommonResponses.forbidden,
    CommonResponses.notFound,
    CommonResponses.unexpected,
    CommonResponses.unavailable
  ]
})
  .annotate(Requires, "requests:read")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "listRequestEvents",
      summary: "Everything that happened to a request",
      description: [
        "Every event of the request and of its webhook deliveries, oldest first, as the log has them when it is asked.",
        "Events are only ever added, at the end: a page that is full never changes. Where `next` is null, give no `cursor`",
        "but the same page again to see more."
      ].join(" "),
      transform: ListParameters.withForms({
        ...ListParameters.pageForms(PageQuery.usualLimit),
        type: { enum: [...Timeline.types].sort() }
      })
    })
  )

export class TimelineApi extends HttpApiGroup.make("timeline")
  .add(list)
  .middleware(Authorization)
  .annotate(ServedOn, ["queue", "platform"])
  .annotateMerge(
    OpenApi.annotations({
      title: "Timeline",
      description: "All that happened to one request."
    })
  ) {}
