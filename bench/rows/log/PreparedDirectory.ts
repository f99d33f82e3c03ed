/** A data directory with a log of ten million events and current read models: 6 GB, built once in some minutes. */
import { Effect, Schedule } from "effect"
import { allProjections } from "#projections/AllProjections.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import * as ProjectionStatus from "#projections/status/ProjectionStatus.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as Progress from "../../harness/Progress.ts"
import { BenchFailed } from "../../harness/Subject.ts"
import * as Inferlog from "../../subjects/Inferlog.ts"
import * as PreparedLog from "./PreparedLog.ts"

/** Each has five events. */
const requests = 2_000_000

/** Events that the read models have not applied yet. */
const behind = (directory: string) =>
  Effect.map(
    ProjectionStatus.read({ base: Generations.baseIn(directory), projections: allProjections }),
    ({ projections }) => Math.max(...projections.map((status) => status.behind))
  ).pipe(
    Effect.provide(SqliteEventReader.layer({ filename: PreparedLog.filename(directory) })),
    Effect.mapError(({ message }) => new BenchFailed({ reason: message }))
  )

/** The server rebuilds read models of another version. */
const catchUp = Effect.fnUntraced(function* (directory: string) {
  if ((yield* behind(directory)) === 0) return
  yield* Inferlog.serveIn(directory)
  yield* Effect.repeat(behind(directory), {
    until: (events) => events === 0,
    schedule: Schedule.spaced("1 second")
  })
}, Effect.scoped)

export const prepared: Effect.Effect<string, BenchFailed> = Effect.gen(function* () {
  yield* Progress.say("  preparing a log of 10 M events and its read models (takes minutes the first time)")
  return yield* Effect.tap(PreparedLog.fill(requests), catchUp)
})
