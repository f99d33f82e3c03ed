/** A run whose reports are recorded and can be awaited, and which can be stopped. */
import { Deferred, Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { RunControl } from "#src/features/providers/Provider.ts"
import * as StoppedWithin from "#test/support/StoppedWithin.ts"

export interface RecordedControl {
  readonly control: RunControl
  /** `started` and the progress reports, in order. */
  readonly reports: ReadonlyArray<"started" | Parameters<RunControl["progress"]>[0]>
  /** The chunks since the last restart, and the number of restarts. */
  readonly chunks: ReadonlyArray<Json>
  readonly restarts: () => number
  /** The job ids that the provider reported. */
  readonly jobIds: ReadonlyArray<string>
  /** The first of them, once there is one. */
  readonly accepted: Effect.Effect<string>
  readonly started: Effect.Effect<void>
  readonly stop: Effect.Effect<void>
}

export const make: Effect.Effect<RecordedControl> = Effect.gen(function* () {
  const reports: Array<RecordedControl["reports"][number]> = []
  const jobIds: Array<string> = []
  const chunks: Array<Json> = []
  let restarts = 0
  const asked = yield* Deferred.make<void>()
  const accepted = yield* Deferred.make<string>()
  const started = yield* Deferred.make<void>()
  const start = () => {
    reports.push("started")
    Deferred.doneUnsafe(started, Effect.void)
  }
  return {
    reports,
    chunks,
    restarts: () => restarts,
    jobIds,
    accepted: Deferred.await(accepted),
    started: Deferred.await(started),
    stop: Effect.asVoid(Deferred.succeed(asked, undefined)),
    control: {
      accepted: (jobId) =>
        Effect.suspend(() => {
          jobIds.push(jobId)
          return Effect.asVoid(Deferred.succeed(accepted, jobId))
        }),
      started: Effect.sync(start),
      start,
      progress: (report) => Effect.sync(() => void reports.push(report)),
      note: (report) => void reports.push(report),
      chunk: (chunk) => void chunks.push(chunk),
      restartChunks: () => {
        restarts++
        chunks.length = 0
      },
      startWithinMs: Effect.succeed(1_000),
      stopRequested: Deferred.await(asked),
      isStoppedWithin: StoppedWithin.of(Deferred.await(asked))
    }
  }
})
