/**
 * What a run reports on its way, as few events as the facts allow: a run that ends at once has its start appended with its
 * end, and progress is sampled.
 */
import { Clock, Effect, Fiber } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { RequestActors } from "#src/requests/RequestActors.ts"

/** A run that ends within this time of its start has both in one append, ms. */
const startGraceMs = 20

/** Progress is recorded at most this often, ms; on long runs less often, so that an hour leaves some 250 events. */
const minProgressIntervalMs = 1_000
const progressIntervalShare = 1 / 50

/** Log lines kept between two records, and their length, characters. */
const maxBufferedLines = 200
const maxLineLength = 1_000

export interface RunReport {
  readonly accepted: (jobId: string) => Effect.Effect<void>
  readonly started: Effect.Effect<void>
  readonly progress: (report: {
    readonly fraction: number | null
    readonly logs: ReadonlyArray<string>
  }) => Effect.Effect<void>
  /** Call at the end of the run: records the last lines; gives the start's time when that is not on the log yet. */
  readonly finish: Effect.Effect<number | null>
}

/** Reports never fail a run: what cannot be recorded is logged, and the outcome will say the rest. */
const logged = (effect: Effect.Effect<unknown, { readonly _tag: string } | EventStoreError>) =>
  Effect.catch(effect, (error) =>
    Effect.logWarning(`A report of a run was not recorded: ${error._tag}`)
  ).pipe(Effect.asVoid)

export const make = (id: RequestId, attempt: number): Effect.Effect<RunReport, never, RequestActors> =>
  Effect.map(RequestActors, (actors) => {
    let startedAt: number | null = null
    let startRecorded = false
    let recordingStart: Fiber.Fiber<void> | undefined
    let lines: Array<string> = []
    let fraction: number | null = null
    let progressAt = 0

    const recordStart = Effect.suspend(() => {
      if (startRecorded || startedAt === null) return Effect.void
      startRecorded = true
      return logged(actors.execute(id, { _tag: "RecordStarted", at: startedAt, attempt }))
    })

    const recordProgress = Effect.gen(function* () {
      if (lines.length === 0 && fraction === null) return
      const at = yield* Clock.currentTimeMillis
      progressAt = at
      const report = { fraction, logs: lines }
      lines = []
      fraction = null
      yield* recordStart
      yield* logged(actors.execute(id, { _tag: "RecordProgress", at, attempt, ...report }))
    })

    const started = Effect.gen(function* () {
      if (startedAt !== null) return
      startedAt = progressAt = yield* Clock.currentTimeMillis
      recordingStart = yield* Effect.forkChild(Effect.delay(recordStart, startGraceMs))
    })

    return {
      accepted: (jobId) =>
        Effect.flatMap(Clock.currentTimeMillis, (at) =>
          logged(actors.execute(id, { _tag: "RecordAccepted", at, attempt, jobId }))
        ),
      started,
      progress: (report) =>
        Effect.gen(function* () {
          yield* started
          fraction = report.fraction ?? fraction
          lines = [...lines, ...report.logs.map((line) => line.slice(0, maxLineLength))].slice(
            -maxBufferedLines
          )
          const now = yield* Clock.currentTimeMillis
          const interval = Math.max(minProgressIntervalMs, (now - (startedAt ?? now)) * progressIntervalShare)
          if (now - progressAt >= interval) yield* recordProgress
        }),
      finish: Effect.gen(function* () {
        if (lines.length > 0) yield* recordProgress
        if (startRecorded) {
          if (recordingStart !== undefined) yield* Fiber.await(recordingStart)
          return null
        }
        startRecorded = true
        if (recordingStart !== undefined) yield* Fiber.interrupt(recordingStart)
        return startedAt
      })
    }
  })
