/** Statuses as server-sent events (decisions, "Server-sent events" and "Client habits"). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { mostRequests } from "../StreamQuery.ts"
import * as RequestUrls from "#src/features/requests/views/RequestUrls.ts"
import { Authorization } from "#src/edges/http/api/Authorization.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as ModelParameters from "#src/edges/http/api/ModelParameters.ts"
import { AnswersHead, Requires, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"

const described = (description: string) => Schema.String.annotate({ description })
const optional = (description: string) => Schema.optionalKey(described(description))

const exampleBody = {
  status: "IN_PROGRESS",
  request_id: RequestUrls.exampleId,
  ...RequestUrls.example,
  logs: "",
  queue_position: 0
}

const stream = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] }).pipe(
    HttpApiSchema.asText({ contentType: "text/event-stream" })
  )

const refusals = [
  CommonResponses.badRequest,
  CommonResponses.forbidden,
  CommonResponses.notFound,
  CommonResponses.methodNotAllowed,
  CommonResponses.tooManyRequests,
  CommonResponses.unexpected,
  CommonResponses.unavailable
] as const

const ofAccount = HttpApiEndpoint.get("streamRequests", "/requests/stream", {
  query: {
    request_id: Schema.optionalKey(
      Schema.Union([Schema.String, Schema.Array(Schema.String)]).annotate({
        description: "Of this request only; repeated: of these. The stream ends when all of them have."
      })
    ),
    modelEndpoint: ListParameters.text("Of this model's requests only."),
    logs: ListParameters.text("`1`: the event that ends a request has its log lines."),
    last_event_id: ListParameters.text("As the header `Last-Event-ID`, which wins over it.")
  },
  headers: {
    "last-event-id": optional("Go on behind the event of that id: nothing is missed, nothing comes twice.")
  },
  success: [
    stream(
      "One event for each change of a status, with the status object and its `modelEndpoint` as data; and `progress` events, without an id, with `request_id`, `modelEndpoint` and `progress` (0 to 1) as data, while the stream is open. Without `Last-Event-ID` first one for each request that has not ended, and for each that is named.",
      `retry: 2000\n\nid: 1042\nevent: status\ndata: ${JSON.stringify({ ...exampleBody, modelEndpoint: "sandbox/echo" })}\n\n`
    ),
    HttpApiSchema.NoContent.annotate({
      description:
        "All that were named have ended, and the client knows it: there is nothing to come back for."
    })
  ],
  error: refusals
})
  .annotate(ServedOn, ["queue", "platform"])
  .annotateMerge(
    OpenApi.annotations({
      identifier: "streamRequests",
      summary: "Follow all requests",
      description:
        "Server-sent events: every change of a request's status, as it happens. A client that was cut off sends the id of the last event that it has, to any node, and misses nothing. A reader that takes nothing for 30 s is dropped.",
      transform: ListParameters.withForms({
        request_id: {
          type: "array",
          items: { type: "string", pattern: "^[A-Za-z0-9_-]{21}$" },
          maxItems: mostRequests
        },
        logs: { enum: ["0", "1"] }
      })
    })
  )

const ofRequest = HttpApiEndpoint.get(
  "streamStatus",
  "/:ownerName/:modelName/requests/:requestId/status/stream",
  {
    params: {
      ...ModelParameters.ofModel,
      requestId: described("21 characters of `A-Za-z0-9_-`.")
    },
    success: stream(
      "The status object now, and again each time that it has changed; the last one is terminal.",
      `data: ${JSON.stringify(exampleBody)}\n\n`
    ),
    error: refusals
  }
)
  .annotate(ServedOn, ["queue"])
  .annotateMerge(
    OpenApi.annotations({
      identifier: "streamRequestStatus",
      summary: "Follow a request",
      description:
        "Server-sent events without name or id: the body of `GET …/status` until the request has ended."
    })
  )

export class StreamsApi extends HttpApiGroup.make("streams")
  .add(ofAccount, ofRequest)
  .middleware(Authorization)
  .annotate(AnswersHead, false)
  .annotate(Requires, "requests:read")
  .annotateMerge(
    OpenApi.annotations({
      title: "Streams",
      description: "Statuses of requests as they change, as server-sent events."
    })
  ) {}
