/** A request as fal's client names it, and its output. */
import { Effect, Result } from "effect"
import { outcome } from "#domain/inference-request/Status.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { Requests, Snapshot } from "#src/features/requests/Requests.ts"
import { StreamedBody } from "#src/platform/views/StreamedBody.ts"
import { InlineText } from "#streams/PayloadText.ts"
import * as RequestRoute from "#src/edges/api/requests/RequestRoute.ts"
import type * as Answer from "#src/edges/http/Answer.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import type { OfRequest } from "../Target.ts"
import * as FalEnds from "./FalEnds.ts"

const unknown = Effect.fail(ErrorAnswer.unknownRequest)

/** The client follows a model of a longer id under the beginning of it. */
const isOf = (model: string, prefix: string): boolean => model === prefix || model.startsWith(`${prefix}-`)

/** The request, if it belongs to the caller and to the model. An id of fal's own form is unknown, not malformed. */
export const find = (requests: Requests["Service"], caller: Caller, { prefix, requestId }: OfRequest) => {
  const id = RequestRoute.parseId(requestId)
  return Result.isFailure(id)
    ? unknown
    : Effect.flatMapEager(requests.get({ caller, id: id.success }), (snapshot) =>
        isOf(snapshot.request.submitted.model, prefix) ? Effect.succeed(snapshot) : unknown
      )
}

const notEnded = Effect.fail(ErrorAnswer.coded(400, "REQUEST_IN_PROGRESS", "Request is still in progress."))

/** The text of the output of a request that has one. */
export const outputOf = (requests: Requests["Service"], ended: Snapshot) =>
  Effect.flatMapEager(RequestRoute.payloadsOf(requests, ended, { input: false }), ({ output }) =>
    output === null ? Effect.fail(ErrorAnswer.payloadsErased) : Effect.succeed(output)
  )

/** The output itself, or the reason why it is missing. */
export const result = (
  requests: Requests["Service"],
  snapshot: Snapshot
): Effect.Effect<Answer.Answer, Effect.Error<ReturnType<typeof outputOf>>> => {
  const { id, request } = snapshot
  if (outcome(request) === "pending") return notEnded
  const failure = FalEnds.failureOf(snapshot)
  if (failure !== null) return Effect.succeed(FalEnds.answerOf(id, failure))
  return Effect.mapEager(outputOf(requests, snapshot), (output) => ({
    status: 200,
    headers: { "cache-control": "no-store", [FalEnds.requestIdHeader]: id, ...FalEnds.partHeader(snapshot) },
    body: output instanceof InlineText ? output.text : new StreamedBody([output])
  }))
}
