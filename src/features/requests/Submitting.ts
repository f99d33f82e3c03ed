/** Accepts a request: validates and quotes it, reserves its key and its hold, and appends it. */
import { Cause, Clock, Effect, Exit, Result } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { Rejection } from "#domain/inference-request/Command.ts"
import { RequestId } from "#domain/Ids.ts"
import type { Deadlines, Event, RequestSubmitted } from "#domain/inference-request/Event.ts"
import type { Request, State } from "#domain/inference-request/State.ts"
import * as Pricing from "#domain/Pricing.ts"
import * as RetrySchedule from "#domain/RetrySchedule.ts"
import type { Executed } from "#streams/Actors.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { GlobalPosition } from "#streams/GlobalPosition.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as Payload from "#streams/Payload.ts"
import type { SealedPayload } from "#streams/SealedPayload.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import * as RequestedUnits from "#src/features/catalog/models/RequestedUnits.ts"
import { Catalog, type CatalogEntry, type Quantities } from "#src/features/catalog/models/Catalog.ts"
import * as Later from "#src/kernel/async/Later.ts"
import * as Settled from "#src/kernel/async/Settled.ts"
import * as InputWeight from "#src/kernel/memory/InputWeight.ts"
import { EvaluationFor, type EvaluatorBusy } from "#src/features/catalog/models/expression/EvaluationFor.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import * as CheckedInput from "./CheckedInput.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as Holds from "./Holds.ts"
import { DeadlineHints } from "./DeadlineHints.ts"
import * as AbsoluteDeadlines from "./AbsoluteDeadlines.ts"
import { IdempotencyKeyActors } from "./IdempotencyKeyActors.ts"
import { type Depth, QueueDepth } from "./QueueDepth.ts"
import * as QueuePlaces from "./QueuePlaces.ts"
import { RequestActors } from "./RequestActors.ts"
import {
  type Checks,
  InvalidInput,
  ModelNotFound,
  ModelNotGranted,
  QueueFull,
  type Requests,
  type Snapshot,
  type Submission
} from "./Requests.ts"
import * as Snapshots from "./Snapshot.ts"
import * as UnderKey from "./UnderKey.ts"

/** `Retry-After` of a full queue, in seconds. */
const queueFullRetrySeconds = 5

type RequestSubmittedFields = Omit<RequestSubmitted, "_tag">
type Refused = ModelNotFound | InvalidInput | EvaluatorBusy

interface Accepted extends Snapshot<Request> {
  readonly replayed: boolean
  /** Of the event; `null` if the request was on the log before. */
  readonly position: GlobalPosition | null
}

const acceptedOf = (id: RequestId, executed: Executed<State, Event>): Effect.Effect<Accepted> => {
  const snapshot = Snapshots.asSubmitted(id, executed)
  if (snapshot === null) return Effect.die("A submitted request has no state")
  const { request, version } = snapshot
  const { events, position } = executed
  return Effect.succeed({ id, request, version, replayed: events.length === 0, position })
}

/** Other failures than those of storage are bugs: the command fits a new request. */
const onlyStorage = <A>(exit: Exit.Exit<A, Rejection | EventStoreError>): Exit.Exit<A, EventStoreError> => {
  if (Exit.isSuccess(exit)) return Exit.succeed(exit.value)
  const error = Cause.findError(exit.cause)
  if (Result.isFailure(error)) return Exit.failCause(error.failure)
  return error.success._tag === "EventStoreError" ? Exit.fail(error.success) : Exit.die(error.success)
}

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const requests = yield* RequestActors
  const steady = yield* SteadyTime
  const clock = yield* Clock.Clock
  const keys = yield* IdempotencyKeyActors
  const payloads = yield* Payload.Payloads
  const depth = yield* QueueDepth
  const ids = yield* IdGenerator
  const hints = yield* DeadlineHints
  const health = yield* ProviderHealth
  const expectations = yield* Expectations
  const holds = yield* Holds.make
  const places = QueuePlaces.make()
  const unitsOf = RequestedUnits.make()

  /** The checks that every submit must pass, whatever its id. */
  const admit = <E>(submission: Submission, checks: Checks<E> | null) =>
    Effect.flatMapEager(
      catalog.find(submission.endpoint),
      (entry): Effect.Effect<CatalogEntry, E | Refused> => {
        if (entry === null) return Effect.fail(new ModelNotFound())
        return Effect.flatMapEager(checks?.first ?? Effect.void, () => {
          const issues = CheckedInput.issues(submission, entry)
          if (issues.length > 0) return Effect.fail(new InvalidInput({ issues }))
          const changed = CheckedInput.changedIntegers(submission, entry)
          if (Settled.hasSucceeded(changed) && changed.value.length === 0) return Effect.succeed(entry)
          return Effect.flatMap(evaluatingFor(submission, changed), (issues) =>
            issues.length > 0 ? Effect.fail(new InvalidInput({ issues })) : Effect.succeed(entry)
          )
        })
      }
    )

  /** Asks again with everything on the log before it refuses. */
  const unlessFull = (
    { model }: CatalogEntry,
    ask: (limit: number, read: Depth) => boolean
  ): Effect.Effect<void, QueueFull> => {
    const { endpoint, maxQueued } = model
    if (maxQueued === undefined) return Effect.void
    const read = Effect.interruptible(depth.of(endpoint))
    const readAgain = Effect.andThen(Effect.interruptible(depth.caughtUp), read)
    return Effect.flatMap(read, (first) =>
      ask(maxQueued, first)
        ? Effect.void
        : Effect.flatMap(readAgain, (now) =>
            ask(maxQueued, now) ? Effect.void : Effect.fail(queueFull(model, maxQueued))
          )
    )
  }

  const checkQueue = (entry: CatalogEntry) =>
    unlessFull(entry, (limit, read) => places.isFree(entry.model.endpoint, limit, read))

  /** Holds a place in the queue while the request is stored. Not to be interrupted. */
  const queueing = <E>(
    entry: CatalogEntry,
    id: RequestId,
    store: () => Effect.Effect<Accepted, E>
  ): Effect.Effect<Accepted, E | QueueFull> => {
    const { endpoint, maxQueued } = entry.model
    if (maxQueued === undefined) return store()
    const taken = unlessFull(entry, (limit, read) => places.take(id, endpoint, limit, read))
    return Effect.flatMap(taken, () =>
      Effect.onExitPrimitive(store(), (exit) => {
        const position = Exit.isSuccess(exit) ? exit.value.position : null
        return Effect.sync(() =>
          position === null ? places.release(id, endpoint) : places.keep(id, endpoint, position)
        )
      })
    )
  }

  /** The queue is full because of the providers while all of them pause. */
  const queueFull = ({ providers }: Model, limit: number) => {
    const pausedMs = Math.min(...providers.map(health.pausedMs))
    const isUpstream = pausedMs > 0
    const retryAfterSeconds = isUpstream ? Math.ceil(pausedMs / 1_000) : queueFullRetrySeconds
    return new QueueFull({ limit, isUpstream, retryAfterSeconds })
  }

  /** How long a run takes: the manifest's estimate, or the measured p90 if that is longer. The sweep leaves such runs alone. */
  const expectedMs = ({ endpoint, expectedSeconds }: Model) =>
    Math.round(Math.max(expectedSeconds, expectations.of(endpoint)?.p90Seconds ?? 0) * 1_000)

  const submitted = (
    { caller, inputMemory, metadata, webhook }: Submission,
    { model }: CatalogEntry,
    quote: Pricing.Quote,
    at: number,
    deadlines: Deadlines | null,
    input: SealedPayload
  ): RequestSubmittedFields => ({
    at,
    accountId: caller.accountId,
    keyId: caller.keyId,
    ...(caller.token !== null && { token: caller.token.id }),
    model: model.endpoint,
    modelVersion: model.version,
    metadata,
    ...(webhook === null ? {} : { webhook }),
    ...(deadlines === null ? {} : { deadlines }),
    expectedMs: expectedMs(model),
    quote,
    retry: model.retry ?? RetrySchedule.transportErrors,
    ...InputWeight.recorded(input.size, inputMemory),
    payloads: { input: Payload.refOf(input) }
  })

  /** Appends the request, and announces its deadline even if that fails: the request may still be on the log. */
  const append = (
    { idempotency }: Submission,
    id: RequestId,
    request: RequestSubmittedFields,
    input: SealedPayload
  ): Effect.Effect<Accepted, EventStoreError> => {
    const command = { _tag: "Submit", request } as const
    // A request may already exist under a reserved id. Any other id is new.
    const appended =
      idempotency === null
        ? Later.work<Executed<State, Event>, Rejection | EventStoreError>((onExit) =>
            requests.sendNew(id, command, [input], onExit)
          )
        : requests.execute(id, command, [input])
    return Later.andThen(appended, (exit) => {
      if (request.deadlines !== undefined) hints.hint(AbsoluteDeadlines.earliest(request.deadlines))
      return Effect.flatMapEager(holds.appended(id, input, onlyStorage(exit)), (executed) =>
        acceptedOf(id, executed)
      )
    })
  }

  const evaluatingFor = <A, E>({ caller }: Submission, evaluated: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.provideService(evaluated, EvaluationFor, { purpose: "submit", owner: caller.accountId })

  const quoteOf = (submission: Submission, entry: CatalogEntry) => {
    const units = unitsOf(entry, CheckedInput.forUnits(submission, entry))
    const price = ({ maxQuantity, quantity }: Quantities) =>
      Pricing.quote(entry.model.price, quantity, maxQuantity)
    if (Settled.hasSucceeded(units)) return Effect.succeed(price(units.value))
    return evaluatingFor(submission, units).pipe(
      Effect.map(price),
      Effect.catchTag("UnitsUnknown", ({ message }) =>
        Effect.fail(new InvalidInput({ issues: [{ path: [], code: "units", message }] }))
      )
    )
  }

  const wanted = ({ caller }: Submission, { hold }: Pricing.Quote, at: number) => {
    const { accountId, grant, keyId } = caller
    return { accountId, keyId, hold, budget: grant.monthlyBudget, at }
  }

  const checkHold = (submission: Submission, quote: Pricing.Quote, at: number) =>
    holds.check(wanted(submission, quote, at))

  /** Hold, seal, append. Takes no fiber where nothing else than the log is waited for. */
  const accept = (
    submission: Submission,
    entry: CatalogEntry,
    quote: Pricing.Quote,
    id: RequestId,
    at: number
  ) => {
    const deadlines = AbsoluteDeadlines.of(submission.deadlines, at)
    const store = () =>
      Effect.flatMapEager(holds.take({ ...wanted(submission, quote, at), requestId: id }), () =>
        Effect.flatMapEager(holds.sealing(id, CheckedInput.seal(payloads, submission, id)), (input) => {
          const request = submitted(submission, entry, quote, at, deadlines, input)
          return append(submission, id, request, input)
        })
      )
    return Later.uninterruptible(() => queueing(entry, id, store))
  }

  /** Slow checks, such as a name look-up, are made for accounts that can pay. */
  const checkLast = <E>(submission: Submission, quote: Pricing.Quote, at: number, checks: Checks<E> | null) =>
    checks === null ? Effect.void : Effect.andThen(checkHold(submission, quote, at), checks.last)

  const submitNew = <E>(submission: Submission, checks: Checks<E> | null) =>
    Effect.flatMapEager(admit(submission, checks), (entry) =>
      Effect.flatMapEager(quoteOf(submission, entry), (quote) =>
        Effect.flatMapEager(checkQueue(entry), () => {
          const at = steady.nowOf(clock)
          return Effect.flatMapEager(checkLast(submission, quote, at, checks), () =>
            accept(submission, entry, quote, RequestId.make(ids.next()), at)
          )
        })
      )
    )

  const submitUnderKey = yield* UnderKey.make({ accept, admit, checkHold, checkQueue, quoteOf })

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
      const { state } = yield* keys.current(UnderKey.keyStream(caller, key))
      if (state._tag !== "Free") return
    }
    const entry = yield* catalog.find(endpoint)
    if (entry === null) return yield* new ModelNotFound()
    const at = yield* steady.now
    const { accountId, grant, keyId } = caller
    const hold = Pricing.leastCharge(entry.model.price)
    yield* Effect.andThen(
      checkQueue(entry),
      holds.check({ accountId, keyId, hold, budget: grant.monthlyBudget, at })
    )
  })

  return { submit, invite }
})
