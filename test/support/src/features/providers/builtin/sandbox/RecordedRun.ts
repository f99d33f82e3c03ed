/** A run of a built-in model whose reports are recorded, and which can be stopped. */
import { Deferred, Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import { AccountId, RequestId } from "#domain/Ids.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { Job, RunControl } from "#src/features/providers/Provider.ts"
import * as StoppedWithin from "#test/support/StoppedWithin.ts"

export const jobOf = (model: Model, input: Json, attempt = 1): Job => ({
  requestId: RequestId.make("rq0000000000000000001"),
  accountId: AccountId.make("acc_test"),
  submittedAt: 4_000_000_000_000,
  model,
  binding: model.providers[0],
  input,
  attempt
})

export interface RecordedRun {
  readonly control: RunControl
  /** `started` and the progress reports, in order. */
  readonly reports: ReadonlyArray<"started" | Parameters<RunControl["progress"]>[0]>
  readonly chunks: ReadonlyArray<Json>
  /** The job ids that the provider reported. */
  readonly jobIds: ReadonlyArray<string>
  readonly stop: Effect.Effect<void>
}

export const make: Effect.Effect<RecordedRun> = Effect.gen(function* () {
  const reports: Array<RecordedRun["reports"][number]> = []
  const jobIds: Array<string> = []
  const chunks: Array<Json> = []
  const asked = yield* Deferred.make<void>()
  const start = () => void reports.push("started")
  return {
    reports,
    chunks,
    jobIds,
    stop: Effect.asVoid(Deferred.succeed(asked, undefined)),
    control: {
      accepted: (jobId) => Effect.sync(() => void jobIds.push(jobId)),
      started: Effect.sync(start),
      start,
      progress: (report) => Effect.sync(() => void reports.push(report)),
      note: (report) => void reports.push(report),
      chunk: (chunk) => void chunks.push(chunk),
      restartChunks: () => {},
      startWithinMs: Effect.succeed(1_000),
      stopRequested: Deferred.await(asked),
      isStoppedWithin: StoppedWithin.of(Deferred.await(asked))
    }
  }
})
