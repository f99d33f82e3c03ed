/** Ours in T6, replay: the projections' runner on an empty file, until it has reached the head of the log. */
import process from "node:process"
import { Deferred, Effect, References } from "effect"
import { allProjections } from "#projections/AllProjections.ts"
import * as Runner from "#projections/Runner.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as ScratchDirectory from "../../harness/ScratchDirectory.ts"
import { BenchFailed } from "../../harness/Subject.ts"
import * as Work from "./Work.ts"

const [, , filename = "", ...names] = process.argv
const projections = allProjections.filter(({ name }) => names.includes(name))

const replay = Effect.gen(function* () {
  const { head } = yield* EventReader
  const end = yield* head
  const reached = yield* Deferred.make<void, BenchFailed>()
  const runner = Runner.run({
    filename: `${yield* ScratchDirectory.make}/projections.sqlite`,
    projections,
    publish: (moved) => {
      const failed = moved.find(({ stopped }) => stopped)
      if (failed !== undefined) {
        Deferred.doneUnsafe(reached, Effect.fail(new BenchFailed({ reason: `${failed.reason}` })))
      } else if (moved.every(({ position }) => position === end)) {
        Deferred.doneUnsafe(reached, Effect.void)
      }
    }
  })
  yield* Effect.raceFirst(Deferred.await(reached), runner)
  return Number(end)
}).pipe(
  Effect.scoped,
  Effect.provide(SqliteEventReader.layer({ filename })),
  Effect.provideService(References.MinimumLogLevel, "Warn")
)

Work.serve(() => Work.timed(() => Effect.runPromise(replay)))
