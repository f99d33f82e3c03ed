/** The request lifecycle (contract, "Request lifecycle"). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import * as ResultView from "#src/features/requests/views/ResultView.ts"
import * as StatusView from "#src/features/requests/views/StatusView.ts"
import { Authorization } from "#src/edges/http/api/Authorization.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ModelParameters from "#src/edges/http/api/ModelParameters.ts"
import { AnswersHead, Requires, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"

const described = (description: string) => Schema.String.annotate({ description })
const optional = (description: string) => Schema.optionalKey(described(description))

const requestId = described("21 characters of `A-Za-z0-9_-`.")
const requestParams = { ...ModelParameters.ofModel, requestId }

/** Bodies are read by the route itself, with limits of its own: this declares them. */
const SubmitPayload = Schema.StructWithRest(
  Schema.Struct({
    webhook: optional("HTTPS URL that gets the events, at most 2048 characters."),
    webhook_events_filter: Schema.optionalKey(
      Schema.Array(WebhookEventName).annotate({ description: 'Events to send; by default `["completed"]`.' })
    )
  }),
  [Schema.Record(Schema.String, Schema.Json)]
).annotate({
  identifier: "SubmitBody",
  description: "The model's input, and two reserved fields that the model does not see.",
  // The first can be sent as it is.
  examples: [
    { value: "hello" },
    { value: "hello", webhook: "https://example.com/hook", webhook_events_filter: ["completed"] }
  ]
})

const everywhere = [
  CommonResponses.badRequest,
  CommonResponses.unexpected,
  CommonResponses.unavailable
] as const

const ofOneRequest = [...everywhere, CommonResponses.notFound] as const

const submit = HttpApiEndpoint.post("submit", "/:ownerName/:modelName", {
  params: ModelParameters.ofModel,
  query: { wait: optional("As `Prefer: wait=<seconds>`, 1 to 60.") },
  headers: {
    "idempotency-key": optional("1 to 255 printable ASCII characters, kept for 24 hours."),
    "x-request-metadata": optional("A JSON object of at most 16 strings, at most 2 KiB."),
    "x-request-start-timeout": optional(
      "Whole seconds, at most 30 days. When no provider has started it by then it is `CANCELLED`, `outcome: expired`, not billed."
    ),
    "cancel-after": optional(
      "Seconds, or `90s`, `5m`, `1h`, at most 30 days. The same when it has not ended by then, whatever runs."
    ),
    prefer: optional("`wait` or `wait=<1..60>`: answer with the result when it is there in time.")
  },
  payload: SubmitPayload,
  success: HttpApiSchema.WithHeaders(Schema.Union([StatusView.CreatedBody, ResultView.RetrievedBody]), {
    "idempotency-replayed": optional("`true`: the answer to an earlier submit under the same key."),
    "preference-applied": optional("`wait`: the body is that of `GET /requests/{requestId}`.")
  }),
  error: [
    ...everywhere,
    CommonResponses.insufficientBalance,
    CommonResponses.notFound,
    CommonResponses.timeout,
    CommonResponses.conflict,
    CommonResponses.tooLarge,
    CommonResponses.unsupported
  ]
})
  .annotate(Requires, "requests:write")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "submitRequest",
      summary: "Submit a request",
      description: "Accepts a request for the model and answers at once, with the addresses to follow it."
    })
  )

const status = HttpApiEndpoint.get("status", "/:ownerName/:modelName/requests/:requestId/status", {
  params: requestParams,
  query: { wait: optional("Holds the answer for up to 0 to 60 seconds, until the status changes.") },
  headers: { "if-none-match": optional("`ETag` of the last answer.") },
  success: [
    HttpApiSchema.WithHeaders(StatusView.StatusBody, { etag: described("For `If-None-Match`.") }),
    CommonResponses.notModified
  ],
  error: [StatusView.FailedBody.pipe(HttpApiSchema.status(400)), ...ofOneRequest]
})
  .annotate(Requires, "requests:read")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "getRequestStatus",
      summary: "Status of a request",
      description: "A request that is `FAILED` answers 400, with the same body and an `error`."
    })
  )

const result = HttpApiEndpoint.get("result", "/:ownerName/:modelName/requests/:requestId", {
  params: requestParams,
  success: ResultView.ResultBody,
  error: [...ofOneRequest, CommonResponses.gone, ResultView.InvalidResultBody.pipe(HttpApiSchema.status(422))]
})
  .annotate(Requires, "requests:read")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "getRequestResult",
      summary: "Result of a request",
      description:
        "The output, once `COMPLETED`; 400 before, and for requests that failed or were cancelled; 410 once erased."
    })
  )

const cancelPath = "/:ownerName/:modelName/requests/:requestId/cancel"
const cancelOptions = { params: requestParams, success: StatusView.CancelBody, error: ofOneRequest }
const describeCancel = (identifier: string, alias: boolean) =>
  OpenApi.annotations({
    identifier,
    summary: alias ? "Cancel a request (alias)" : "Cancel a request",
    description:
      "Queued: cancelled. Running: the provider is asked to stop. Ended: nothing. The status tells what it led to."
  })

const cancel = HttpApiEndpoint.get("cancel", cancelPath, {
  ...cancelOptions,
  error: [...ofOneRequest, CommonResponses.methodNotAllowed]
})
  .annotate(Requires, "requests:write")
  .annotate(AnswersHead, false)
  .annotateMerge(describeCancel("cancelRequest", false))
const cancelByPut = HttpApiEndpoint.put("cancelByPut", cancelPath, cancelOptions)
  .annotate(Requires, "requests:write")
  .annotateMerge(describeCancel("cancelRequestByPut", true))
const cancelByPost = HttpApiEndpoint.post("cancelByPost", cancelPath, cancelOptions)
  .annotate(Requires, "requests:write")
  .annotateMerge(describeCancel("cancelRequestByPost", true))

const retrieve = HttpApiEndpoint.get("retrieve", "/requests/:requestId", {
  params: { requestId },
  success: ResultView.RetrievedBody,
  error: ofOneRequest
})
  .annotate(Requires, "requests:read")
  .annotate(ServedOn, ["queue", "platform"])
  .annotateMerge(
    OpenApi.annotations({
      identifier: "getRequest",
      summary: "Retrieve a request",
      description: "The request in any state, by its id alone: the read after a client's crash."
    })
  )

const erasePayloads = HttpApiEndpoint.delete("erasePayloads", "/requests/:requestId/payloads", {
  params: { requestId },
  success: HttpApiSchema.NoContent.annotate({
    description: "Erased, now or before. Nobody can read them any more."
  }),
  error: [...ofOneRequest, CommonResponses.conflict]
})
  .annotate(Requires, "requests:write")
  .annotate(ServedOn, ["queue", "platform"])
  .annotateMerge(
    OpenApi.annotations({
      identifier: "eraseRequestPayloads",
      summary: "Erase input and output",
      description:
        "Erases the input, the output and the stored files of a request that has ended, for good. The request stays: its status, times, cost, metadata, log lines and webhook URL. Without this they are erased at `expiresAt`."
    })
  )

export class QueueApi extends HttpApiGroup.make("queue")
  .add(submit, status, result, cancel, cancelByPut, cancelByPost, retrieve, erasePayloads)
  .middleware(Authorization)
  .annotate(ServedOn, ["queue"])
  .annotateMerge(
    OpenApi.annotations({
      title: "Requests",
      description: "Submit inference requests and follow them to their end."
    })
  ) {}
