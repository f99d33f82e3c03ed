/** Runs projections on a file until they reach the head of the log. */
import { Deferred, Effect, References } from "effect"
import { allProjections } from "#projections/AllProjections.ts"
import type { Projection } from "#projections/Projection.ts"
import * as Runner from "#projections/Runner.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as ScratchDirectory from "../../harness/ScratchDirectory.ts"
import { BenchFailed } from "../../harness/Subject.ts"

/** @param names of projections. Returns the position of the head. */
export const replay = (names: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.flatMap(ScratchDirectory.make, (directory) =>
      into(
        `${directory}/projections.sqlite`,
        allProjections.filter(({ name }) => names.includes(name))
      )
    )
  )

/** Returns the position of the head. */
export const into = Effect.fnUntraced(
  function* (filename: string, projections: ReadonlyArray<Projection> = allProjections) {
    const { head } = yield* EventReader
    const end = yield* head
    const reached = yield* Deferred.make<void, BenchFailed>()
    const runner = Runner.run({
      filename,
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
    return end
  },
  Effect.scoped,
  Effect.provideService(References.MinimumLogLevel, "Warn")
)
