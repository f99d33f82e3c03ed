/**
 * Follows a job that a provider has under an id of its own, to its one outcome: asked after often at first and then less
 * often, at once when the provider calls back, and asked to stop when the client gives up.
 */
import { Context, Deferred, Effect, Queue, Result, Schedule, type Scope } from "effect"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import type { Callback } from "./Callbacks.ts"
import type { JobReport, Unclear } from "./JobReport.ts"
import type { RunControl } from "./Provider.ts"

export interface PollPace {
  /** Before the first question, ms; each is half as long again after the one before, up to `longestMs`. */
  readonly firstMs: number
  readonly longestMs: number
  /** How long in a row it may not be told how the job is doing, ms. */
  readonly patienceMs: number
  /** How long the word of its end may be on its way here when a job that was to stop is gone, ms. */
  readonly lateMs: number
}

/** Read when an adapter's layer is built. Tests make it short. */
export const PollPace = Context.Reference<PollPace>("inferlog/src/features/providers/PollPace", {
  defaultValue: () => ({ firstMs: 250, longestMs: 5_000, patienceMs: 120_000, lateMs: 5_000 })
})

/** `unknown`: the provider says that there is no such job to stop. What it tells of the job counts more. */
export type Heard = "heard" | "unknown"

export interface FollowOptions {
  readonly control: RunControl
  /**
   * Gives the job to the provider, before it is first asked after. Callbacks may come meanwhile, and even end it. Left out of a
   * job that is taken up again: nobody knows here how long that has run.
   */
  readonly submit?: Effect.Effect<JobReport>
  /** Read-only, and with a deadline of its own. */
  readonly poll: Effect.Effect<JobReport, Unclear>
  /** Asks the provider to stop the job; asked again until it has been heard. */
  readonly cancel: Effect.Effect<Heard, Unclear>
  readonly callbacks?: {
    readonly received: Queue.Dequeue<Callback>
    /** `null`: it says no more than that a question is worth its while. */
    readonly read: (callback: Callback) => JobReport | null
  }
}

const growth = 1.5

/** Longest wait that a provider which limits questions is granted, ms. */
const maxWaitMs = 60_000

/** How long it is tried to stop a job that is given up, ms. */
const givingUpMs = 5_000

const stopped: ProviderOutcome = { _tag: "Stopped" }

/** A job that nobody follows any more is not to run on beside its retry: its provider is asked once to stop it. */
export const giveUp = (cancel: Effect.Effect<unknown, unknown>): Effect.Effect<void> =>
  Effect.ignore(Effect.timeoutOption(cancel, givingUpMs))

/** Of the same pace for all runs of an adapter. Interrupted, it lets the job go on at the provider. */
export const make = Effect.map(
  PollPace,
  (pace) =>
    (options: FollowOptions): Effect.Effect<ProviderOutcome> =>
      Effect.scoped(follow(pace, options))
)

const follow = Effect.fnUntraced(function* (
  pace: PollPace,
  { callbacks, cancel, control, poll, submit }: FollowOptions
): Effect.fn.Return<ProviderOutcome, never, Scope.Scope> {
  const end = yield* Deferred.make<ProviderOutcome>()
  const wakes = yield* Queue.sliding<void>(1)
  const report = yield* reporting(control, submit !== undefined)
  let isToStop = false
  let heard: Heard | null = null
  /** When it was last there, or was told to stop: its end may be on its way here for a moment after that. */
  let knownAt = yield* MonotonicTime.millis

  /** That a job is gone which was to be stopped is what was wanted. */
  const take = Effect.fnUntraced(function* (told: JobReport) {
    const outcome = yield* report(told)
    if (outcome === null) return
    yield* Deferred.succeed(end, isToStop && outcome._tag === "Lost" ? stopped : outcome)
  })

  const cancelling = Schedule.min([
    Schedule.exponential(pace.firstMs, growth),
    Schedule.spaced(pace.longestMs)
  ])
  yield* control.stopRequested.pipe(
    Effect.andThen(
      Effect.suspend(() => {
        isToStop = true
        return Effect.retry(cancel, cancelling)
      })
    ),
    Effect.zip(MonotonicTime.millis),
    Effect.flatMap(([told, now]) => {
      heard = told
      knownAt = now
      return Queue.offer(wakes, undefined)
    }),
    Effect.forkScoped
  )
  if (callbacks !== undefined) {
    yield* Queue.take(callbacks.received).pipe(
      Effect.flatMap((callback) => {
        const told = callbacks.read(callback)
        return told === null ? Effect.asVoid(Queue.offer(wakes, undefined)) : take(told)
      }),
      Effect.forever,
      Effect.forkScoped
    )
  }

  const asking = Effect.gen(function* () {
    if (submit !== undefined) yield* take(yield* submit)
    let waitMs = pace.firstMs
    let clearAt = yield* MonotonicTime.millis
    while (true) {
      const isWoken = yield* Effect.raceFirst(
        Effect.as(Queue.take(wakes), true),
        Effect.delay(Effect.succeed(false), waitMs)
      )
      waitMs = isWoken ? pace.firstMs : Math.min(waitMs * growth, pace.longestMs)
      const answer = yield* Effect.result(poll)
      const now = yield* MonotonicTime.millis
      if (!isUnknown(answer, heard)) knownAt = now
      else if (heard !== null && now - knownAt >= pace.lateMs) return stopped
      if (Result.isSuccess(answer)) {
        clearAt = now
        yield* take(answer.success)
        continue
      }
      const { outcome } = answer.failure
      if (outcome._tag === "RateLimited") {
        clearAt = now
        waitMs = Math.min(Math.max(waitMs, outcome.retryAfterMs), maxWaitMs)
      } else if (now - clearAt >= pace.patienceMs) {
        yield* giveUp(cancel)
        return outcome
      }
    }
  })
  return yield* Effect.raceFirst(Deferred.await(end), asking)
})

/** Whether the provider knows of no such job, as far as it says anything. */
const isUnknown = (answer: Result.Result<JobReport, Unclear>, heard: Heard | null): boolean =>
  Result.isSuccess(answer)
    ? answer.success._tag === "Taken" && heard === "unknown"
    : answer.failure.outcome._tag === "Lost"

/**
 * Passes on what is new of each report; the outcome when it is the last one. A provider that does not measure how long the
 * model has run has it measured here, of a job that `isNew`: from when it was seen to run, or was last known not to have begun.
 */
const reporting = Effect.fnUntraced(function* (control: RunControl, isNew: boolean) {
  let since = isNew ? yield* MonotonicTime.millis : null
  let hasStarted = false
  let fraction: number | null = null
  let lines = 0

  const start = Effect.suspend(() => {
    if (hasStarted) return Effect.void
    hasStarted = true
    return control.started
  })

  const progress = (now: number | null, logs: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      const fresh = logs.slice(lines)
      if (fresh.length === 0 && (now === null || now === fraction)) return Effect.void
      lines += fresh.length
      fraction = now
      return control.progress({ fraction: now, logs: fresh })
    })

  const measured = (outcome: ProviderOutcome, now: number): ProviderOutcome =>
    outcome._tag !== "Succeeded" || outcome.seconds !== undefined || since === null
      ? outcome
      : { ...outcome, seconds: (now - since) / 1_000 }

  return Effect.fnUntraced(function* (told: JobReport) {
    const now = yield* MonotonicTime.millis
    switch (told._tag) {
      case "Waiting":
        if (!hasStarted) since = now
        return null
      case "Taken":
        return null
      case "Running":
        if (!hasStarted && since !== null) since = now
        yield* start
        yield* progress(told.fraction, told.logs)
        return null
      case "Ended": {
        const outcome = measured(told.outcome, now)
        if (outcome._tag === "Succeeded" || outcome._tag === "ModelFailed") yield* start
        yield* progress(null, told.logs)
        return outcome
      }
    }
  })
})
