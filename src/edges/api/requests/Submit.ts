/** Handles `POST /{owner}/{model}`. */
import { Effect } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { retentionMs } from "#src/kernel/settings/RetentionTime.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Accepting from "./Accepting.ts"
import type * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import type * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { endpointOf, type EndpointParams } from "#src/edges/http/requests/EndpointParams.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"
import * as ResultView from "#src/features/requests/views/ResultView.ts"
import * as StatusView from "#src/features/requests/views/StatusView.ts"
import * as RequestRoute from "./RequestRoute.ts"

export interface SubmitCall {
  readonly caller: Caller
  readonly params: EndpointParams
  readonly headers: RequestHeaders
  /** The query parameter `wait`. `Prefer: wait` wins when both are sent. */
  readonly wait: string | undefined
  /** Runs after headers and model were checked. At most `JsonBody.maxBytes`. */
  readonly readBody: (grow: BodyReader.Grow) => Effect.Effect<Uint8Array, ErrorAnswer.ErrorAnswer>
}

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const urls = yield* PublicUrls
  const keptMs = yield* retentionMs
  const accepting = yield* Accepting.make

  const created = (accepted: Parameters<typeof StatusView.created>[1], headers = Answer.noHeaders) =>
    Answer.json(200, StatusView.created(urls.queueUrl, accepted), headers)

  /** The answer once the request has ended, or after the time for which the client wants to wait. */
  const answerLater = Effect.fnUntraced(function* (
    { accepted, preferredMs }: Accepting.Submitted,
    waitMs: number,
    headers: Answer.Headers,
    created: Answer.Answer
  ) {
    const latest = yield* accepting.untilEnded(accepted, waitMs)
    if (!Accepting.isEnded(latest)) return created
    const payloads = yield* RequestRoute.payloadsOf(requests, latest)
    const body = ResultView.retrieved({ ...urls, keptMs }, latest, payloads)
    const applied = preferredMs === null ? {} : { "preference-applied": "wait" }
    return Answer.record(200, body, { ...headers, ...applied })
  })

  type WaitError = Effect.Error<ReturnType<typeof answerLater>>

  const answer = (submitted: Accepting.Submitted): Effect.Effect<Answer.Answer, WaitError> => {
    const { accepted, preferredMs, queriedMs } = submitted
    const headers = accepted.replayed ? { "idempotency-replayed": "true" } : Answer.noHeaders
    const atOnce = created(accepted, headers)
    const waitMs = preferredMs ?? queriedMs
    return waitMs === 0 ? Effect.succeed(atOnce) : answerLater(submitted, waitMs, headers, atOnce)
  }

  const submit = ({ caller, headers, params, readBody, wait }: SubmitCall) => {
    const endpoint = endpointOf(params)
    const read = (grow: BodyReader.Grow) => Effect.mapEager(readBody(grow), (body) => ({ endpoint, body }))
    return accepting.accept({ caller, endpoint, headers, wait, readBody: read }, answer)
  }

  return { ...accepting, submit }
})
