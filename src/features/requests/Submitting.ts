/** Accepting a request: validated, quoted, its key and its hold reserved, then durable on the log. */
import * as crypto from "node:crypto"
import { Effect } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import type { Model } from "#domain/catalog/Model.ts"
import { RequestId } from "#domain/Ids.ts"
import * as IdempotencyKey from "#domain/idempotency-key/IdempotencyKey.ts"
import type { Deadlines, RequestSubmitted } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import * as Pricing from "#domain/Pricing.ts"
import * as RetrySchedule from "#domain/RetrySchedule.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as Payload from "#streams/Payload.ts"
import type { SealedPayload } from "#streams/SealedPayload.ts"
import * as StreamName from "#streams/StreamName.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import * as AskedUnits from "#src/features/catalog/models/AskedUnits.ts"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import * as InputWeight from "#src/kernel/memory/InputWeight.ts"
import { EvaluationFor } from "#src/features/catalog/models/expression/EvaluationFor.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import * as CheckedInput from "./CheckedInput.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { DeadlineHints } from "./DeadlineHints.ts"
import * as AbsoluteDeadlines from "./AbsoluteDeadlines.ts"
import { IdempotencyKeyActors } from "./IdempotencyKeyActors.ts"
import { QueueDepth } from "./QueueDepth.ts"
import { RequestActors } from "./RequestActors.ts"
import {
  type Checks,
  type Idempotency,
  IdempotencyKeyReused,
  InvalidInput,
  ModelNotFound,
  ModelNotGranted,
  QueueFull,
  type Requests,
  type Submission,
  type Unaffordable
} from "./Requests.ts"
import * as Snapshot from "./Snapshot.ts"
import * as UnderHold from "./UnderHold.ts"

const keyStream = ({ accountId }: Caller, key: string): string =>
  IdempotencyKey.streamId(accountId, crypto.hash("sha256", key, "base64url"))

/** What a client is told to wait when a model's queue is full, seconds. */
const queueFullRetrySeconds = 5

type Refused = ModelNotFound | InvalidInput

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const requests = yield* RequestActors
  const steady = yield* SteadyTime
  const keys = yield* IdempotencyKeyActors
  const payloads = yield* Payload.Payloads
  const depth = yield* QueueDepth
  const ids = yield* IdGenerator
  const hints = yield* DeadlineHints
  const health = yield* ProviderHealth
  const expectations = yield* Expectations
  const underHold = yield* UnderHold.make
  const unitsOf = AskedUnits.make()

  /** What a submit must be, whoever sends it and under whichever id. */
  const admit = <E>(submission: Submission, checks: Checks<E> | null) =>
    Effect.flatMap(catalog.find(submission.endpoint), (entry): Effect.Effect<CatalogEntry, E | Refused> => {
      if (entry === null) return Effect.fail(new ModelNotFound())
      return Effect.flatMap(checks?.first ?? Effect.void, () => {
        const issues = CheckedInput.issues(submission, entry)
        return issues.length > 0 ? Effect.fail(new InvalidInput({ issues })) : Effect.succeed(entry)
      })
    })

  const checkQueue = ({ model }: CatalogEntry): Effect.Effect<void, QueueFull> => {
    const { endpoint, maxQueued } = model
    if (maxQueued === undefined) return Effect.void
    return Effect.flatMap(depth.of(endpoint), (queued) =>
      queued < maxQueued ? Effect.void : Effect.fail(queueFull(model, maxQueued))
    )
  }

  /** While none of the model's providers takes anything, its queue is full for that. */
  const queueFull = ({ providers }: Model, limit: number) => {
    const pausedMs = Math.min(...providers.map(health.pausedMs))
    const isUpstream = pausedMs > 0
    const retryAfterSeconds = isUpstream ? Math.ceil(pausedMs / 1_000) : queueFullRetrySeconds
    return new QueueFull({ limit, isUpstream, retryAfterSeconds })
  }

  /** What the manifest says, unless the model has come to take longer: nobody is to look after a run that is as usual. */
  const expectedMs = ({ endpoint, expectedSeconds }: Model) =>
    Math.round(Math.max(expectedSeconds, expectations.of(endpoint)?.p90Seconds ?? 0) * 1_000)

  const submitted = (
    { caller, inputMemory, metadata, webhook }: Submission,
    { model }: CatalogEntry,
    quote: Pricing.Quote,
    at: number,
    deadlines: Deadlines | null,
    input: SealedPayload
  ): Omit<RequestSubmitted, "_tag"> => ({
    at,
    accountId: caller.accountId,
    keyId: caller.keyId,
    model: model.endpoint,
    modelVersion: model.version,
    metadata,
    ...(webhook === null ? {} : { webhook }),
    ...(deadlines === null ? {} : { deadlines }),
    expectedMs: expectedMs(model),
    quote,
    retry: model.retry ?? RetrySchedule.transportErrors,
    ...InputWeight.told(input.size, inputMemory),
    payloads: { input: Payload.refOf(input) }
  })

  /** Also when the client goes away meanwhile: what has begun to be submitted may be accepted yet. */
  const hinting = <A, E>(deadlines: Deadlines | null, append: Effect.Effect<A, E>) =>
    deadlines === null
      ? append
      : Effect.ensuring(
          append,
          Effect.sync(() => hints.hint(AbsoluteDeadlines.earliest(deadlines)))
        )

  const quoteOf = (submission: Submission, entry: CatalogEntry) =>
    unitsOf(entry, CheckedInput.forUnits(submission, entry)).pipe(
      Effect.provideService(EvaluationFor, { purpose: "submit", owner: submission.caller.accountId }),
      Effect.map(({ maxQuantity, quantity }) => Pricing.quote(entry.model.price, quantity, maxQuantity)),
      Effect.catchTag("UnitsUnknown", ({ message }) =>
        Effect.fail(new InvalidInput({ issues: [{ path: [], code: "units", message }] }))
      )
    )

  const wanted = ({ caller }: Submission, { hold }: Pricing.Quote, at: number) => {
    const { accountId, grant, keyId } = caller
    return { accountId, keyId, hold, budget: grant.monthlyBudget, at }
  }

  const accept = (
    submission: Submission,
    entry: CatalogEntry,
    quote: Pricing.Quote,
    id: RequestId,
    at: number
  ) => {
    // An id that is reserved may have been submitted under before; any other has just been made.
    const execute = submission.idempotency === null ? requests.create : requests.execute
    const seal = CheckedInput.seal(payloads, submission, {
      owner: submission.caller.accountId,
      stream: StreamName.make(InferenceRequest.aggregate.category, id),
      name: "input"
    })
    const deadlines = AbsoluteDeadlines.of(submission.deadlines, at)
    const append = (input: SealedPayload) => {
      const request = submitted(submission, entry, quote, at, deadlines, input)
      const appended = Effect.catch(execute(id, { _tag: "Submit", request }, [input]), (error) =>
        error._tag === "EventStoreError" ? Effect.fail(error) : Effect.die(error)
      )
      return hinting(deadlines, appended)
    }
    return Effect.flatMap(
      underHold.store({ ...wanted(submission, quote, at), requestId: id, seal, append }),
      (accepted) => {
        const snapshot = Snapshot.asSubmitted(id, accepted)
        return snapshot === null
          ? Effect.die("A submitted request has no state")
          : Effect.succeed({ ...snapshot, replayed: accepted.events.length === 0 })
      }
    )
  }

  /** What may take long, as the look-up of a name does, is not done for those who cannot pay. */
  const checkLast = <E>(submission: Submission, quote: Pricing.Quote, at: number, checks: Checks<E> | null) =>
    checks === null
      ? Effect.void
      : Effect.andThen(underHold.check(wanted(submission, quote, at)), checks.last)

  const submitNew = <E>(submission: Submission, checks: Checks<E> | null) =>
    Effect.flatMap(admit(submission, checks), (entry) =>
      Effect.flatMap(quoteOf(submission, entry), (quote) =>
        Effect.flatMap(Effect.andThen(checkQueue(entry), steady.now), (at) =>
          Effect.flatMap(checkLast(submission, quote, at, checks), () =>
            accept(submission, entry, quote, RequestId.make(ids.next()), at)
          )
        )
      )
    )

  /** With the hash in the form in which the first of all twins has left it. */
  const inFormOf = (state: IdempotencyKey.State, idempotency: Idempotency): Idempotency =>
    state._tag === "Reserved" && idempotency.isFormerHash?.(state.requestHash) === true
      ? { ...idempotency, requestHash: state.requestHash }
      : idempotency

  /** What the first of all twins was answered, if it was accepted. */
  const replay = Effect.fnUntraced(function* (state: IdempotencyKey.State, { requestHash }: Idempotency) {
    const now = yield* steady.now
    if (state._tag === "Free" || state.expiresAt <= now || state.requestHash !== requestHash) return null
    return Snapshot.asSubmitted(state.requestId, yield* requests.current(state.requestId))
  })

  /**
   * Whoever cannot pay, or finds the queue full, leaves no key on the log: keys cost nothing, and stay there. What may yet
   * turn out to be the twin of an accepted request goes on, since a key is on the log before its request is.
   */
  const checkFirst = (
    submission: Submission,
    { key }: Idempotency,
    entry: CatalogEntry,
    quote: Pricing.Quote,
    at: number
  ) => {
    const asked = wanted(submission, quote, at)
    return Effect.catch(
      Effect.flatMap(checkQueue(entry), () => underHold.check(asked)),
      Effect.fnUntraced(function* (refused: Unaffordable) {
        const { state } = yield* keys.refresh(keyStream(submission.caller, key))
        if (state._tag === "Free" || state.expiresAt <= at) return yield* refused
      })
    )
  }

  /** The id that the first of all twins has reserved. */
  const reserve = Effect.fnUntraced(function* (
    { caller }: Submission,
    { key, requestHash }: Idempotency,
    at: number
  ) {
    const requestId = RequestId.make(ids.next())
    const { state } = yield* keys
      .execute(keyStream(caller, key), { _tag: "Reserve", at, requestId, requestHash })
      .pipe(Effect.catchTag("KeyReused", () => new IdempotencyKeyReused()))
    return state._tag === "Reserved" ? state.requestId : requestId
  })

  const submitUnderKey = Effect.fnUntraced(function* <E>(
    submission: Submission,
    presented: Idempotency,
    checks: Checks<E> | null
  ) {
    const { state } = yield* keys.current(keyStream(submission.caller, presented.key))
    const idempotency = inFormOf(state, presented)
    const answered = yield* replay(state, idempotency)
    if (answered !== null) return { ...answered, replayed: true }
    const entry = yield* admit(submission, checks)
    const quote = yield* quoteOf(submission, entry)
    const at = yield* steady.now
    yield* checkFirst(submission, idempotency, entry, quote, at)
    if (checks !== null) yield* checks.last
    const id = yield* reserve(submission, idempotency, at)
    // A twin may have been accepted since.
    const first = Snapshot.asSubmitted(id, yield* requests.current(id))
    if (first !== null) return { ...first, replayed: true }
    yield* checkQueue(entry)
    return yield* Effect.catchTag(
      accept(submission, entry, quote, id, at),
      ["InsufficientBalance", "BudgetExceeded", "TooManyOpenRequests"],
      // A twin may have been accepted since, and hold what this one would have.
      Effect.fnUntraced(function* (refused) {
        const first = Snapshot.asSubmitted(id, yield* requests.current(id))
        return first === null ? yield* refused : { ...first, replayed: true }
      })
    )
  })

  const submit: Requests["Service"]["submit"] = <E = never>(
    submission: Submission,
    checks: Checks<E> | null = null
  ) => {
    if (!Grant.allowsModel(submission.caller.grant, submission.endpoint)) {
      return Effect.fail(new ModelNotGranted())
    }
    return submission.idempotency === null
      ? submitNew(submission, checks)
      : submitUnderKey(submission, submission.idempotency, checks)
  }

  const invite: Requests["Service"]["invite"] = Effect.fnUntraced(function* ({ caller, endpoint, key }) {
    if (key !== null) {
      const { state } = yield* keys.current(keyStream(caller, key))
      if (state._tag !== "Free") return
    }
    const entry = yield* catalog.find(endpoint)
    if (entry === null) return yield* new ModelNotFound()
    const at = yield* steady.now
    const { accountId, grant, keyId } = caller
    const hold = Pricing.leastCharge(entry.model.price)
    yield* Effect.andThen(
      checkQueue(entry),
      underHold.check({ accountId, keyId, hold, budget: grant.monthlyBudget, at })
    )
  })

  return { submit, invite }
})
