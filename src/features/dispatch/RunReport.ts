/** Reports a run with few events: one that ends at once appends its start with its end; progress is sampled. */
import { type Cause, Clock, Effect, Exit } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import * as LogLines from "#domain/inference-request/LogLines.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import type { RunControl } from "#src/features/providers/Provider.ts"
import { untilStored } from "#src/platform/reactors/UntilStored.ts"
import type { RequestActors } from "#src/features/requests/RequestActors.ts"
import type { Deadlines } from "#src/kernel/time/Deadlines.ts"
import type { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import type { StopSignal } from "./StopSignal.ts"

/** A run that ends within this time of its start has both in one append, ms. */
const startGraceMs = 20

/** A call that was not refused by then counts as started, even without an answer, ms. */
const refusalMs = 1_000

/** Time to record the start of a run before its request would expire, ms. */
const recordingMs = 250

/** Progress is recorded at most this often, ms; less often on long runs, so that an hour has about 250 events. */
const minProgressIntervalMs = 1_000
const progressIntervalShare = 1 / 50

/** Characters of a log line. Lines between two records are limited like the request's log. */
const maxLineLength = 1_000

export interface RunReport extends RunControl {
  /** Call it if the run has not ended at once: its start is then recorded without waiting for its end. */
  readonly pending: Effect.Effect<void>
  /** Whether the provider has reported on the run. */
  readonly isHeardOf: () => boolean
  /** Since its start; 0 before it. */
  readonly seconds: Effect.Effect<number>
  /** Call it at the end of the run: records the last lines and returns the start's time, for the outcome. */
  readonly finish: () => Effect.Effect<number | null>
}

export interface RunReportOptions {
  readonly actors: RequestActors["Service"]
  readonly steady: SteadyTime["Service"]
  /** Runs what has to be told of a report that nothing waits for. */
  readonly fork: (effect: Effect.Effect<void>) => unknown
  readonly id: RequestId
  /** Number of the run. */
  readonly attempt: number
  /** When its request expires unless a run has started, Unix time in ms; `null`: never. */
  readonly startBy: number | null
  readonly stop: StopSignal
  readonly deadlines: Deadlines
}

const logFailure = (cause: Cause.Cause<unknown>) =>
  Effect.logWarning("A report of a run was not recorded", cause)

/** Reports never fail a run: what cannot be recorded is logged. */
const logged = (effect: Effect.Effect<unknown, unknown>) =>
  Effect.asVoid(Effect.catchCause(effect, logFailure))

/** A provider may report any number. */
const known = (fraction: number | null) =>
  fraction === null || Number.isNaN(fraction) ? null : Math.min(Math.max(fraction, 0), 1)

/** What is known of the run, and which part of it is on the log. */
interface Reported extends RunReportOptions {
  isAccepted: boolean
  startedAt: number | null
  isStartRecorded: boolean
  isPending: boolean
  /** Keeps the start from being recorded without the end. */
  holdStart: (() => void) | null
  lines: ReadonlyArray<string>
  fraction: number | null
  /** On the monotonic clock, ms. */
  begunAt: number
  progressAt: number
}

/** Runs that end at once are on the hot path, so they only do what they report. */
export const make = (options: RunReportOptions): RunReport => {
  const run: Reported = {
    ...options,
    isAccepted: false,
    startedAt: null,
    isStartRecorded: false,
    isPending: false,
    holdStart: null,
    lines: [],
    fraction: null,
    begunAt: 0,
    progressAt: 0
  }
  return {
    stopRequested: options.stop.sent,
    isStoppedWithin: (ms) => options.stop.isSentWithin(options.deadlines, ms),
    accepted: (jobId) => accept(run, jobId),
    isHeardOf: () => run.isAccepted || run.startedAt !== null,
    started: Clock.clockWith((clock) => Effect.sync(() => start(run, clock))),
    startWithinMs: startWithin(run),
    pending: Effect.sync(() => {
      run.isPending = true
      recordStartSoon(run)
    }),
    progress: (report) => progress(run, report),
    seconds: Effect.map(MonotonicTime.millis, (now) =>
      run.startedAt === null ? 0 : (now - run.begunAt) / 1_000
    ),
    finish: () => {
      run.holdStart?.()
      return Effect.map(run.lines.length === 0 ? Effect.void : recordProgress(run), () => run.startedAt)
    }
  }
}

/** Retries until the run is over, because without the id the job could not be found again. */
const accept = (run: Reported, jobId: string) =>
  Effect.flatMap(run.steady.now, (at) => {
    const { actors, attempt, id } = run
    run.isAccepted = true
    const command = { _tag: "RecordAccepted", at, attempt, jobId } as const
    return logged(untilStored("The job of a run is not recorded yet", actors.execute(id, command)))
  })

const start = (run: Reported, clock: Clock.Clock) => {
  if (run.startedAt !== null) return
  run.startedAt = run.steady.nowOf(clock)
  run.begunAt = run.progressAt = MonotonicTime.millisOf(clock)
  recordStartSoon(run)
}

const startWithin = ({ startBy, steady }: Reported): Effect.Effect<number> =>
  startBy === null
    ? Effect.succeed(refusalMs)
    : Effect.map(steady.now, (now) => Math.min(Math.max(startBy - recordingMs - now, 0), refusalMs))

const recordStart = (run: Reported): Effect.Effect<void> => {
  const { actors, attempt, id, startedAt } = run
  if (run.isStartRecorded || startedAt === null) return Effect.void
  return logged(
    Effect.map(
      actors.execute(id, { _tag: "RecordStarted", at: startedAt, attempt }),
      () => (run.isStartRecorded = true)
    )
  )
}

const recordStartSoon = (run: Reported) => {
  const { attempt, fork, id, startedAt } = run
  if (!run.isPending || startedAt === null || run.holdStart !== null) return
  run.holdStart = run.deadlines.after(startGraceMs, () => {
    if (run.isStartRecorded) return
    run.actors.send(id, { _tag: "RecordStarted", at: startedAt, attempt }, [], (exit) => {
      if (Exit.isSuccess(exit)) run.isStartRecorded = true
      else fork(Effect.annotateLogs(logFailure(exit.cause), { request_id: id }))
    })
  })
}

const progress = Effect.fnUntraced(function* (run: Reported, report: Parameters<RunControl["progress"]>[0]) {
  start(run, yield* Clock.Clock)
  run.fraction = known(report.fraction) ?? run.fraction
  run.lines = LogLines.newest([...run.lines, ...report.logs.map((line) => line.slice(0, maxLineLength))])
  const now = yield* MonotonicTime.millis
  const interval = Math.max(minProgressIntervalMs, (now - run.begunAt) * progressIntervalShare)
  if (now - run.progressAt >= interval) yield* recordProgress(run)
})

const recordProgress = Effect.fnUntraced(function* (run: Reported) {
  const { actors, attempt, fraction, id, lines: logs } = run
  if (logs.length === 0 && fraction === null) return
  const at = yield* run.steady.now
  run.progressAt = yield* MonotonicTime.millis
  run.lines = []
  run.fraction = null
  yield* recordStart(run)
  yield* logged(actors.execute(id, { _tag: "RecordProgress", at, attempt, fraction, logs }))
})
