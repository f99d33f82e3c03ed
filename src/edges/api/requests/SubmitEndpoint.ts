/** `POST /{owner}/{model}`, as OpenAPI describes it. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import * as ResultView from "#src/features/requests/views/ResultView.ts"
import * as StatusView from "#src/features/requests/views/StatusView.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ModelParameters from "#src/edges/http/api/ModelParameters.ts"
import { Requires, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import * as OutputEvents from "./streams/OutputEvents.ts"
import * as StreamRoute from "./streams/StreamRoute.ts"
import * as RequestRoute from "./RequestRoute.ts"

/** The input is checked by the schema of its model, the reserved fields by `WebhookFields`. */
const SubmitPayload = Schema.StructWithRest(
  Schema.Struct({
    webhook: RequestRoute.optional("HTTPS URL that gets the events, at most 2048 characters."),
    webhook_events_filter: Schema.optionalKey(
      Schema.Array(WebhookEventName).annotate({ description: 'Events to send; by default `["completed"]`.' })
    )
  }),
  [Schema.Record(Schema.String, Schema.Json)]
).annotate({
  identifier: "SubmitBody",
  description: "The model's input, and two reserved fields that the model does not see.",
  // The first example can be sent as it is.
  examples: [
    { value: "hello" },
    { value: "hello", webhook: "https://example.com/hook", webhook_events_filter: ["completed"] }
  ]
})

export const endpoint = HttpApiEndpoint.post("submitRequest", "/:ownerName/:modelName", {
  params: ModelParameters.ofModel,
  query: { wait: RequestRoute.optional("As `Prefer: wait=<seconds>`, 1 to 60.") },
  headers: {
    "idempotency-key": RequestRoute.optional("1 to 255 printable ASCII characters, valid for 24 hours."),
    "x-request-metadata": RequestRoute.optional("A JSON object of at most 16 strings, at most 2 KiB."),
    "x-request-start-timeout": RequestRoute.optional(
      "Whole seconds, at most 30 days. A request that has not started by then is `CANCELLED`, `outcome: expired`, not billed."
    ),
    "cancel-after": RequestRoute.optional(
      "Seconds, or `90s`, `5m`, `1h`, at most 30 days. The same for a request that has not ended by then, even if it runs."
    ),
    accept: RequestRoute.optional("`text/event-stream`: the answer is a stream of the output."),
    "cancel-on-disconnect": RequestRoute.optional(
      "`true`: cancels the request if the client closes the stream before its end."
    ),
    prefer: RequestRoute.optional(
      "`wait` or `wait=<1..60>`: answers with the result if the request ends in time."
    )
  },
  payload: SubmitPayload,
  success: [
    HttpApiSchema.WithHeaders(Schema.Union([StatusView.CreatedBody, ResultView.RetrievedBody]), {
      "idempotency-replayed": RequestRoute.optional(
        "`true`: the answer to an earlier submit under the same key."
      ),
      "preference-applied": RequestRoute.optional("`wait`: the body is that of `GET /requests/{requestId}`.")
    }),
    StreamRoute.success(
      "With `Accept: text/event-stream`: a `request` event with the create response as data, then the events of `GET …/output/stream`. If no stream can be opened, the create response.",
      OutputEvents.created({ ...StreamRoute.exampleBody, status: "IN_QUEUE" }) + OutputEvents.example
    )
  ],
  error: [
    ...CommonResponses.usual,
    CommonResponses.insufficientBalance,
    CommonResponses.notFound,
    CommonResponses.timeout,
    CommonResponses.conflict,
    CommonResponses.tooLarge,
    CommonResponses.unsupported
  ]
})
  .annotate(Requires, "requests:write")
  .annotate(TakesTokens, "submit")
  .annotate(OpenApi.Summary, "Submit a request")
  .annotate(
    OpenApi.Description,
    "Accepts a request for the model and answers at once with the addresses to follow it."
  )
