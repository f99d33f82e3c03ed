/** Follows a job to its outcome: asks for its state, less and less often, after a callback, and to stop it. */
import { Context, Deferred, Effect, Queue, Result, Schedule, type Scope } from "effect"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import type { Callback } from "./Callbacks.ts"
import type { JobReport, Unclear } from "./JobReport.ts"
import type { RunControl } from "./Provider.ts"

export interface PollPace {
  /** Wait before the first question, ms. Each wait is 1.5 times the previous one, up to `longestMs`. */
  readonly firstMs: number
  readonly longestMs: number
  /** How long the state may stay unknown, ms. */
  readonly patienceMs: number
  /** How long to wait for the end of a stopped job that the provider does not know any more, ms. */
  readonly lateMs: number
}

/** Read when an adapter's layer is built. Tests shorten it. */
export const PollPace = Context.Reference<PollPace>("inferlog/src/features/providers/PollPace", {
  defaultValue: () => ({ firstMs: 250, longestMs: 5_000, patienceMs: 120_000, lateMs: 5_000 })
})

/** `unknown`: the provider knows no such job. Its reports about the job take precedence. */
export type Heard = "heard" | "unknown"

export interface FollowOptions {
  readonly control: RunControl
  /** Submits the job; callbacks may already arrive, and end it. Absent when a job is taken over. */
  readonly submit?: Effect.Effect<JobReport>
  /** Follows the output as it is made, beside the questions. The state that ends the job; `null` if it does not tell. */
  readonly stream?: Effect.Effect<JobReport | null>
  /** Read-only, with a deadline of its own. */
  readonly poll: Effect.Effect<JobReport, Unclear>
  /** Asks the provider to stop the job. Repeated until the provider has received it. */
  readonly cancel: Effect.Effect<Heard, Unclear>
  readonly callbacks?: {
    readonly received: Queue.Dequeue<Callback>
    /** `null`: the callback only means that a question is worthwhile. */
    readonly read: (callback: Callback) => JobReport | null
  }
}

const growth = 1.5

/** The longest wait that a provider may request between questions, ms. */
const maxWaitMs = 60_000

/** How long to try to stop an abandoned job, ms. */
const givingUpMs = 5_000

const stopped: ProviderOutcome = { _tag: "Stopped" }

/** Asks the provider once to stop a job that is not followed any more, so that it does not run beside its retry. */
export const giveUp = (cancel: Effect.Effect<unknown, unknown>): Effect.Effect<void> =>
  Effect.ignore(Effect.timeoutOption(cancel, givingUpMs))

/** All runs of an adapter share the pace. If the fiber is interrupted, the job continues at the provider. */
export const make = Effect.map(
  PollPace,
  (pace) =>
    (options: FollowOptions): Effect.Effect<ProviderOutcome> =>
      Effect.scoped(follow(pace, options))
)

const follow = Effect.fnUntraced(function* (
  pace: PollPace,
  { callbacks, cancel, control, poll, stream, submit }: FollowOptions
): Effect.fn.Return<ProviderOutcome, never, Scope.Scope> {
  const end = yield* Deferred.make<ProviderOutcome>()
  const wakes = yield* Queue.sliding<void>(1)
  const report = yield* reporting(control, submit !== undefined)
  let isToStop = false
  let heard: Heard | null = null
  /** When the job was last seen or told to stop. Its end may still arrive shortly after. */
  let knownAt = yield* MonotonicTime.millis

  /** A job that was to be stopped and is gone counts as stopped. */
  const endOf = (outcome: ProviderOutcome): ProviderOutcome =>
    isToStop && outcome._tag === "Lost" ? stopped : outcome

  const take = Effect.fnUntraced(function* (state: JobReport) {
    // The job ends here because of the form of its answer, so it is not to go on at the provider.
    if (state._tag === "Unreadable") yield* giveUp(cancel)
    const outcome = yield* report(state)
    if (outcome === null) return
    yield* Deferred.succeed(end, endOf(outcome))
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
    Effect.flatMap(([state, now]) => {
      heard = state
      knownAt = now
      return Queue.offer(wakes, undefined)
    }),
    Effect.forkScoped
  )
  if (stream !== undefined) {
    yield* stream.pipe(
      Effect.flatMap((state) => (state === null ? Queue.offer(wakes, undefined) : take(state))),
      Effect.forkScoped
    )
  }
  if (callbacks !== undefined) {
    yield* Queue.take(callbacks.received).pipe(
      Effect.flatMap((callback) => {
        const state = callbacks.read(callback)
        return state === null ? Effect.asVoid(Queue.offer(wakes, undefined)) : take(state)
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
        return endOf(outcome)
      }
    }
  })
  return yield* Effect.raceFirst(Deferred.await(end), asking)
})

/** Whether the provider reports that it knows no such job. */
const isUnknown = (answer: Result.Result<JobReport, Unclear>, heard: Heard | null): boolean =>
  Result.isSuccess(answer)
    ? answer.success._tag === "Taken" && heard === "unknown"
    : answer.failure.outcome._tag === "Lost"

/**
 * Passes on what is new in each report, and returns the outcome with the last one. If the provider does not measure the
 * run time of an `isNew` job, it is measured from when the job was seen to run, or was last seen waiting.
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

  return Effect.fnUntraced(function* (state: JobReport) {
    const now = yield* MonotonicTime.millis
    switch (state._tag) {
      case "Waiting":
        if (!hasStarted) since = now
        return null
      case "Taken":
        return null
      case "Running":
        if (!hasStarted && since !== null) since = now
        yield* start
        yield* progress(state.fraction, state.logs)
        return null
      case "Unreadable":
        return state.outcome
      case "Ended": {
        const outcome = measured(state.outcome, now)
        if (outcome._tag === "Succeeded" || outcome._tag === "ModelFailed") yield* start
        yield* progress(null, state.logs)
        return outcome
      }
    }
  })
})
