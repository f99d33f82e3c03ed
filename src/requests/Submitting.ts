/** Accepting a request: validated, quoted, its key reserved, then durable on the log. */
import * as crypto from "node:crypto"
import { Clock, Effect } from "effect"
import { RequestId } from "#domain/Ids.ts"
import * as IdempotencyKey from "#domain/idempotency-key/IdempotencyKey.ts"
import type { RequestSubmitted } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import * as Pricing from "#domain/Pricing.ts"
import * as RetrySchedule from "#domain/RetrySchedule.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as Payload from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import type { Caller } from "#src/accounts/Caller.ts"
import { Catalog, type CatalogEntry } from "#src/models/Catalog.ts"
import { IdempotencyKeyActors } from "./IdempotencyKeyActors.ts"
import { QueueDepth } from "./QueueDepth.ts"
import { RequestActors } from "./RequestActors.ts"
import {
  IdempotencyKeyReused,
  InvalidInput,
  ModelNotFound,
  QueueFull,
  type Requests,
  type Submission
} from "./Requests.ts"
import * as Snapshot from "./Snapshot.ts"

const keyStream = ({ accountId }: Caller, key: string): string =>
  IdempotencyKey.streamId(accountId, crypto.hash("sha256", key, "base64url"))

/** What a client is told to wait when a model's queue is full, seconds. */
const queueFullRetrySeconds = 5

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const requests = yield* RequestActors
  const keys = yield* IdempotencyKeyActors
  const payloads = yield* Payload.Payloads
  const depth = yield* QueueDepth
  const ids = yield* IdGenerator

  /** What the first of all twins was answered, if it was accepted. */
  const replay = Effect.fnUntraced(function* ({ caller, idempotency }: Submission) {
    if (idempotency === null) return null
    const now = yield* Clock.currentTimeMillis
    const { state } = yield* keys.current(keyStream(caller, idempotency.key))
    if (state._tag === "Free" || state.expiresAt <= now) return null
    if (state.requestHash !== idempotency.requestHash) return null
    return Snapshot.asSubmitted(state.requestId, yield* requests.current(state.requestId))
  })

  /** The id to submit under: the one reserved by the first of all twins under an idempotency key. */
  const reserve = Effect.fnUntraced(function* ({ caller, idempotency }: Submission, at: number) {
    const requestId = RequestId.make(ids.next())
    if (idempotency === null) return requestId
    const { state } = yield* keys
      .execute(keyStream(caller, idempotency.key), {
        _tag: "Reserve",
        at,
        requestId,
        requestHash: idempotency.requestHash
      })
      .pipe(Effect.catchTag("KeyReused", () => new IdempotencyKeyReused()))
    return state._tag === "Reserved" ? state.requestId : requestId
  })

  const checkQueue = Effect.fnUntraced(function* ({ model }: CatalogEntry) {
    if (model.maxQueued === undefined || (yield* depth.of(model.endpoint)) < model.maxQueued) return
    return yield* new QueueFull({ retryAfterSeconds: queueFullRetrySeconds })
  })

  const accept = Effect.fnUntraced(function* (
    submission: Submission,
    entry: CatalogEntry,
    id: RequestId,
    at: number
  ) {
    const { caller, input, metadata, webhook } = submission
    const { quantity, maxQuantity } = entry.quantities(input)
    const payload = yield* payloads.seal({
      owner: caller.accountId,
      stream: StreamName.make(InferenceRequest.aggregate.category, id),
      name: "input",
      json: input
    })
    const request: Omit<RequestSubmitted, "_tag"> = {
      at,
      ...caller,
      model: entry.model.endpoint,
      modelVersion: entry.model.version,
      metadata,
      ...(webhook === null ? {} : { webhook }),
      quote: Pricing.quote(entry.model.price, quantity, maxQuantity),
      retry: entry.model.retry ?? RetrySchedule.transportErrors,
      payloads: { input: Payload.refOf(payload) }
    }
    const command = { _tag: "Submit", request } as const
    // An id that is reserved may have been submitted under before; any other has just been made.
    const execute = submission.idempotency === null ? requests.create : requests.execute
    return yield* execute(id, command, [payload]).pipe(
      Effect.catchTag(["RequestNotFound", "NotDispatchable"], Effect.die)
    )
  })

  const submit: Requests["Service"]["submit"] = Effect.fnUntraced(function* <E>(
    submission: Submission,
    check: Effect.Effect<void, E> = Effect.void
  ) {
    const answered = yield* replay(submission)
    if (answered !== null) return { ...answered, replayed: true }
    const entry = yield* catalog.find(submission.endpoint)
    if (entry === null) return yield* new ModelNotFound()
    yield* check
    const issues = entry.validateInput(submission.input)
    if (issues.length > 0) return yield* new InvalidInput({ issues })
    const at = yield* Clock.currentTimeMillis
    const id = yield* reserve(submission, at)
    if (submission.idempotency !== null) {
      // A twin may have been accepted since.
      const first = Snapshot.asSubmitted(id, yield* requests.current(id))
      if (first !== null) return { ...first, replayed: true }
    }
    yield* checkQueue(entry)
    const accepted = yield* accept(submission, entry, id, at)
    const snapshot = Snapshot.asSubmitted(id, accepted)
    if (snapshot === null) return yield* Effect.die("A submitted request has no state")
    return { ...snapshot, replayed: accepted.events.length === 0 }
  })

  return submit
})
