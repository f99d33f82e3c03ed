/**
 * What a run reports on its way, as few events as the facts allow: a run that ends at once has its start appended with its
 * end, and progress is sampled.
 */
import { Clock, Effect, Fiber, type Scope } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import * as LogLines from "#domain/inference-request/LogLines.ts"
import * as MonotonicTime from "#src/MonotonicTime.ts"
import { RequestActors } from "#src/requests/RequestActors.ts"

/** A run that ends within this time of its start has both in one append, ms. */
const startGraceMs = 20

/** Progress is recorded at most this often, ms; on long runs less often, so that an hour leaves some 250 events. */
const minProgressIntervalMs = 1_000
const progressIntervalShare = 1 / 50

/** Of a log line, characters. What is kept between two records is bounded as the request's log is. */
const maxLineLength = 1_000

export interface RunReport {
  readonly accepted: (jobId: string) => Effect.Effect<void>
  readonly started: Effect.Effect<void>
  /** Call when the run has not ended at once: its start is then recorded without waiting for its end. */
  readonly pending: Effect.Effect<void>
  readonly progress: (report: {
    readonly fraction: number | null
    readonly logs: ReadonlyArray<string>
  }) => Effect.Effect<void>
  /** Call at the end of the run: records the last lines; gives the start's time, to be told again with the outcome. */
  readonly finish: Effect.Effect<number | null>
}

/** Reports never fail a run: what cannot be recorded is logged, and the outcome will say the rest. */
const logged = (effect: Effect.Effect<unknown, unknown>) =>
  Effect.catchCause(effect, (cause) => Effect.logWarning("A report of a run was not recorded", cause)).pipe(
    Effect.asVoid
  )

/** What a provider says may be any number. */
const known = (fraction: number | null) =>
  fraction === null || Number.isNaN(fraction) ? null : Math.min(Math.max(fraction, 0), 1)

export const make = (
  id: RequestId,
  attempt: number
): Effect.Effect<RunReport, never, RequestActors | Scope.Scope> =>
  Effect.gen(function* () {
    const actors = yield* RequestActors
    const scope = yield* Effect.scope
    let startedAt: number | null = null
    let startRecorded = false
    let isPending = false
    let recordingStart: Fiber.Fiber<void> | undefined
    let lines: ReadonlyArray<string> = []
    let fraction: number | null = null
    /** On the monotonic clock, ms. */
    let begunAt = 0
    let progressAt = 0

    const recordStart = Effect.suspend(() =>
      startRecorded || startedAt === null
        ? Effect.void
        : logged(
            Effect.map(
              actors.execute(id, { _tag: "RecordStarted", at: startedAt, attempt }),
              () => (startRecorded = true)
            )
          )
    )

    const recordProgress = Effect.gen(function* () {
      if (lines.length === 0 && fraction === null) return
      const at = yield* Clock.currentTimeMillis
      progressAt = yield* MonotonicTime.millis
      const report = { fraction, logs: lines }
      lines = []
      fraction = null
      yield* recordStart
      yield* logged(actors.execute(id, { _tag: "RecordProgress", at, attempt, ...report }))
    })

    const recordStartSoon = Effect.suspend(() => {
      if (!isPending || startedAt === null || recordingStart !== undefined) return Effect.void
      // Not a child: whichever fiber of the provider reports the start may end before it is recorded.
      return Effect.map(
        Effect.forkIn(Effect.delay(recordStart, startGraceMs), scope),
        (fiber) => void (recordingStart = fiber)
      )
    })

    const started = Effect.gen(function* () {
      if (startedAt !== null) return
      startedAt = yield* Clock.currentTimeMillis
      begunAt = progressAt = yield* MonotonicTime.millis
      yield* recordStartSoon
    })

    const pending = Effect.suspend(() => {
      isPending = true
      return recordStartSoon
    })

    return {
      accepted: (jobId) =>
        Effect.flatMap(Clock.currentTimeMillis, (at) =>
          logged(actors.execute(id, { _tag: "RecordAccepted", at, attempt, jobId }))
        ),
      started,
      pending,
      progress: (report) =>
        Effect.gen(function* () {
          yield* started
          fraction = known(report.fraction) ?? fraction
          lines = LogLines.newest([...lines, ...report.logs.map((line) => line.slice(0, maxLineLength))])
          const now = yield* MonotonicTime.millis
          const interval = Math.max(minProgressIntervalMs, (now - begunAt) * progressIntervalShare)
          if (now - progressAt >= interval) yield* recordProgress
        }),
      finish: Effect.gen(function* () {
        if (lines.length > 0) yield* recordProgress
        if (recordingStart !== undefined) yield* Fiber.interrupt(recordingStart)
        return startedAt
      })
    }
  })
