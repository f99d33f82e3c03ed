/**
 * Handles `POST /{owner}/{model}`. `docs/reference/errors.md` lists the checks in their order; the first failure answers.
 * Checks that depend on more than the request itself are not repeated for a request that was accepted under its key.
 */
import { Effect, Exit, Result } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import type { Webhook } from "#domain/inference-request/Event.ts"
import { isTerminal } from "#domain/inference-request/State.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type * as JsonScan from "#src/kernel/text/JsonScan.ts"
import * as Settled from "#src/kernel/async/Settled.ts"
import { InputMemory } from "#src/kernel/memory/InputMemory.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import {
  ModelNotGranted,
  Requests,
  type Snapshot,
  type StorageError,
  type Submission
} from "#src/features/requests/Requests.ts"
import { retentionMs } from "#src/kernel/settings/RetentionTime.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as BodyMemory from "#src/edges/http/edge/BodyMemory.ts"
import type * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as BodyHeaders from "#src/edges/http/requests/BodyHeaders.ts"
import * as DeadlineHeaders from "./DeadlineHeaders.ts"
import { endpointOf, type EndpointParams } from "#src/edges/http/requests/EndpointParams.ts"
import * as IdempotencyHeader from "./IdempotencyHeader.ts"
import * as JsonBody from "#src/edges/http/requests/JsonBody.ts"
import * as MetadataHeader from "./MetadataHeader.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as Wait from "./Wait.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"
import * as SubmitBody from "./SubmitBody.ts"
import * as WebhookFields from "./WebhookFields.ts"
import * as WebhookTarget from "./WebhookTarget.ts"
import { Stopping } from "#src/edges/http/Stopping.ts"
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

/** From this many bytes on, everything that needs no body is checked before the body is read. */
const large = 64 * 1024

/** Everything of the call except the model, its input and the webhook's target. */
const parse = ({ headers, wait }: SubmitCall, { webhook }: SubmitBody.Read) => {
  const parts = {
    webhook,
    metadata: MetadataHeader.parse(headers["x-request-metadata"]),
    idempotencyKey: IdempotencyHeader.parse(headers["idempotency-key"]),
    deadlines: DeadlineHeaders.parse(headers),
    preferredMs: Wait.preferred(headers["prefer"]),
    queriedMs: Wait.queried(wait, 1)
  }
  return ErrorAnswer.orInvalid(Parsed.all(parts))
}

const idempotencyOf = (
  key: string,
  meant: IdempotencyHeader.Meant,
  secret: Buffer
): Submission["idempotency"] => ({
  key,
  requestHash: IdempotencyHeader.requestHash(secret, meant),
  isFormerHash: (hash) => IdempotencyHeader.isFormerHash(hash, meant)
})

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

const isEnded = (snapshot: Snapshot): boolean => isTerminal(snapshot.request.phase)

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const requests = yield* Requests
  const outbound = yield* Outbound
  const urls = yield* PublicUrls
  const keptMs = yield* retentionMs
  const stopping = yield* Stopping
  const { submits } = yield* InputMemory
  const readBody = yield* SubmitBody.make
  const secret = (yield* MasterKey).keyFor(IdempotencyHeader.purpose)

  /** Refuses a large body before it is read, for callers who cannot submit anything. */
  const invite = (
    call: SubmitCall,
    endpoint: string
  ): Effect.Effect<void, ErrorAnswer.ErrorAnswer | Effect.Error<ReturnType<typeof requests.invite>>> => {
    const key = call.headers["idempotency-key"] ?? null
    const announced = Number(call.headers["content-length"] ?? 0)
    if (announced > large) return requests.invite({ caller: call.caller, endpoint, key })
    if (key !== null) return Effect.void
    return Effect.flatMapEager(catalog.find(endpoint), (entry) =>
      entry === null ? Effect.fail(ErrorAnswer.unknownModel) : Effect.void
    )
  }

  const checksOf = ({ url }: Webhook) => ({
    first: WebhookTarget.look(outbound, url),
    last: WebhookTarget.check(outbound, url)
  })

  const submit = (call: SubmitCall, endpoint: string, body: Uint8Array, scan: JsonScan.Scan) =>
    Effect.flatMapEager(readBody(call.caller.accountId, endpoint, body, scan), (read) =>
      Effect.flatMapEager(parse(call, read), ({ deadlines, idempotencyKey, metadata, webhook, ...waits }) => {
        const { webhook: _webhook, ...input } = read
        const { caller, headers } = call
        const submission = {
          caller,
          endpoint,
          ...input,
          inputMemory: scan.weight,
          metadata,
          webhook,
          deadlines,
          idempotency:
            idempotencyKey === null
              ? null
              : idempotencyOf(idempotencyKey, { endpoint, headers, body }, secret)
        }
        const submitted = requests.submit(submission, webhook === null ? null : checksOf(webhook))
        return Effect.map(submitted, (accepted) => ({ accepted, ...waits }))
      })
    )

  /** Reads the body and submits it. */
  const receive = (call: SubmitCall, endpoint: string, memory: BodyMemory.BodyMemory) =>
    Effect.flatMapEager(memory.cover(Number(call.headers["content-length"] ?? 0), 0), () =>
      Effect.flatMap(call.readBody(memory.grow), (body) =>
        Effect.flatMapEager(Effect.fromResult(JsonBody.look(body)), (scan) =>
          Effect.flatMapEager(memory.cover(body.length, scan.weight), () =>
            submit(call, endpoint, body, scan)
          )
        )
      )
    )

  type Submitted = Effect.Success<ReturnType<typeof receive>>

  const created = (accepted: Parameters<typeof StatusView.created>[1], headers = Answer.noHeaders) =>
    Answer.json(200, StatusView.created(urls.queueUrl, accepted), headers)

  /** The answer once the request has ended, or after the time for which the client wants to wait. */
  const answerLater = Effect.fnUntraced(function* (
    { accepted, preferredMs }: Submitted,
    waitMs: number,
    headers: Answer.Headers,
    created: Answer.Answer
  ) {
    // The answer is sent even when the server stops: without the id the client would submit again.
    const latest = yield* Effect.raceFirst(
      requests.waitUntil(accepted, isEnded, waitMs),
      Effect.as(stopping, accepted)
    )
    if (!isEnded(latest)) return created
    const payloads = yield* RequestRoute.payloadsOf(requests, latest)
    const body = ResultView.retrieved({ ...urls, keptMs }, latest, payloads)
    const applied = preferredMs === null ? {} : { "preference-applied": "wait" }
    return Answer.record(200, body, { ...headers, ...applied })
  })

  type AnswerError = Effect.Error<ReturnType<typeof receive> | ReturnType<typeof answerLater>>

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

  const submitCall = (
    call: SubmitCall
  ): Effect.Effect<
    Answer.Answer,
    AnswerError | ModelNotGranted | Effect.Error<ReturnType<typeof invite>>
  > => {
    const endpoint = endpointOf(call.params)
    // The service checks this, too; here it is checked before the body is read.
    if (!Grant.allowsModel(call.caller.grant, endpoint)) return Effect.fail(new ModelNotGranted())
    const announced = BodyHeaders.check(call.headers)
    if (Result.isFailure(announced)) return Effect.fail(announced.failure)
    return Effect.flatMapEager(invite(call, endpoint), () => {
      const memory = BodyMemory.make(submits, call.caller.accountId)
      // Released before the answer, because a client may wait for long.
      const received = Effect.onExitPrimitive(receive(call, endpoint, memory), () => {
        memory.release()
        return undefined
      })
      return Effect.flatMap(received, answer)
    })
  }

  return { submit: submitCall, isPlain, submitNow }
})
