/** `GET /{owner}/{model}/requests/{id}`: the output, or why there is none (decisions, "Failure views"). */
import { Effect } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { Requires, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as RequestRoute from "./RequestRoute.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { Requests, type Snapshot } from "#src/features/requests/Requests.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as FailureView from "#src/features/requests/views/FailureView.ts"
import * as ResultView from "#src/features/requests/views/ResultView.ts"

export const endpoint = HttpApiEndpoint.get(
  "getRequestResult",
  "/:ownerName/:modelName/requests/:requestId",
  {
    params: RequestRoute.paramsOfModel,
    success: ResultView.ResultBody,
    error: [
      ...CommonResponses.usualOfOne,
      CommonResponses.gone,
      ResultView.InvalidResultBody.pipe(HttpApiSchema.status(422))
    ]
  }
)
  .annotate(Requires, "requests:read")
  .annotate(TakesTokens, "request")
  .annotate(OpenApi.Summary, "Result of a request")
  .annotate(
    OpenApi.Description,
    "The output, once `COMPLETED`; 400 before, and for requests that failed or were cancelled; 410 once erased."
  )

const notCompleted = Effect.fail(
  ErrorAnswer.coded(400, "REQUEST_NOT_COMPLETED", "The request has not completed yet.")
)
const cancelled = Effect.fail(ErrorAnswer.coded(400, "REQUEST_CANCELLED", "The request was cancelled."))

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const urls = yield* PublicUrls

  /** The payloads may have been erased after the snapshot was read. */
  const unlessErased = (call: RequestRoute.RequestCall, answer: Answer.Answer) =>
    Effect.flatMap(RequestRoute.find(requests, call), ({ request }) =>
      request.erasure === null ? Effect.succeed(answer) : Effect.fail(ErrorAnswer.payloadsErased)
    )

  const completed = (call: RequestRoute.RequestCall, snapshot: Snapshot) =>
    Effect.flatMapEager(RequestRoute.payloadsOf(requests, snapshot), (payloads) => {
      const withoutOutput = ResultView.withoutOutput(urls, snapshot, payloads)
      if (withoutOutput !== null) return Effect.succeed(Answer.record(422, withoutOutput))
      const answer = Answer.record(200, ResultView.result(urls, snapshot, payloads))
      return payloads.output === null ? unlessErased(call, answer) : Effect.succeed(answer)
    })

  return (call: RequestRoute.RequestCall) =>
    Effect.flatMapEager(RequestRoute.find(requests, call), (snapshot) => {
      const { phase } = snapshot.request
      switch (phase._tag) {
        case "Queued":
        case "Dispatched":
        case "Running":
        case "Finalizing":
          return notCompleted
        case "Failed":
          return Effect.fail(
            ErrorAnswer.coded(400, "REQUEST_FAILED", phase.message, FailureView.upstreamOf(snapshot.request))
          )
        case "Cancelled":
          return cancelled
        case "Completed":
          return completed(call, snapshot)
      }
    })
})
