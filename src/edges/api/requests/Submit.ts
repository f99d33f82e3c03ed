/** Handles `POST /{owner}/{model}`. */
import { Effect, Exit, Result } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import * as Settled from "#src/kernel/async/Settled.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { Requests, type StorageError } from "#src/features/requests/Requests.ts"
import { retentionMs } from "#src/kernel/settings/RetentionTime.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Accepting from "./Accepting.ts"
import type * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import type * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { endpointOf, type EndpointParams } from "#src/edges/http/requests/EndpointParams.ts"
import * as JsonBody from "#src/edges/http/requests/JsonBody.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"
import * as WebhookFields from "./WebhookFields.ts"
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

/** A call whose body is not read by a fiber. */
export type PlainCall = Omit<SubmitCall, "readBody" | "wait">

/** Headers that change what a submit means, or how its body is read. */
const meaningful = [
  "idempotency-key",
  "x-request-metadata",
  "x-request-start-timeout",
  "cancel-after",
  "prefer",
  "content-encoding"
]

/** Whether the body alone says what is submitted. */
const isBare = (headers: RequestHeaders): boolean =>
  headers["content-type"] === "application/json" && meaningful.every((name) => headers[name] === undefined)

const bareSubmission = {
  metadata: {},
  webhook: null,
  deadlines: { startTimeoutMs: null, cancelAfterMs: null },
  idempotency: null
} as const

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const requests = yield* Requests
  const urls = yield* PublicUrls
  const keptMs = yield* retentionMs
  const accepting = yield* Accepting.make

  type Submitted = Effect.Success<ReturnType<typeof accepting.accept>>

  const created = (accepted: Parameters<typeof StatusView.created>[1], headers = Answer.noHeaders) =>
    Answer.json(200, StatusView.created(urls.queueUrl, accepted), headers)

  /** The answer once the request has ended, or after the time for which the client wants to wait. */
  const answerLater = Effect.fnUntraced(function* (
    { accepted, preferredMs }: Submitted,
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

  type AnswerError = Effect.Error<ReturnType<typeof accepting.accept> | ReturnType<typeof answerLater>>

  const answer = (submitted: Submitted): Effect.Effect<Answer.Answer, AnswerError> => {
    const { accepted, preferredMs, queriedMs } = submitted
    const headers = accepted.replayed ? { "idempotency-replayed": "true" } : Answer.noHeaders
    const atOnce = created(accepted, headers)
    const waitMs = preferredMs ?? queriedMs
    return waitMs === 0 ? Effect.succeed(atOnce) : answerLater(submitted, waitMs, headers, atOnce)
  }

  /** Whether nothing but the body can be a reason to refuse the submit, or to treat it in another way. */
  const isPlain = ({ caller, headers, params }: PlainCall): boolean => {
    if (!isBare(headers)) return false
    const endpoint = endpointOf(params)
    const found = catalog.find(endpoint)
    return Grant.allowsModel(caller.grant, endpoint) && Settled.hasSucceeded(found) && found.value !== null
  }

  /**
   * Submits a small body of a plain call, without a fiber. Returns false, and has changed nothing, when `submit` has to be
   * called. Otherwise `onEnd` is called once.
   */
  const submitNow = (
    { caller, params }: PlainCall,
    body: Uint8Array,
    onEnd: (exit: Exit.Exit<Answer.Answer, StorageError>) => void
  ): boolean => {
    const scan = JsonBody.look(body)
    if (Result.isFailure(scan)) return false
    const fields = JsonBody.parseLooked(body, scan.success)
    if (Result.isFailure(fields) || WebhookFields.areIn(fields.success)) return false
    const submission = {
      ...bareSubmission,
      caller,
      endpoint: endpointOf(params),
      input: fields.success,
      inputMemory: scan.success.weight
    }
    return requests.submitNow(submission, (exit) => onEnd(Exit.map(exit, (accepted) => created(accepted))))
  }

  const submit = ({
    caller,
    headers,
    params,
    readBody,
    wait
  }: SubmitCall): Effect.Effect<Answer.Answer, AnswerError> => {
    const endpoint = endpointOf(params)
    const read = (grow: BodyReader.Grow) => Effect.map(readBody(grow), (body) => ({ endpoint, body }))
    return Effect.flatMap(accepting.accept({ caller, endpoint, headers, wait, readBody: read }), answer)
  }

  return { ...accepting, submit, isPlain, submitNow }
})
