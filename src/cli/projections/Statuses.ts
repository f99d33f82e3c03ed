import { Effect, Option } from "effect"
import { allProjections } from "#projections/AllProjections.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import * as ProjectionStatus from "#projections/status/ProjectionStatus.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"

/** The progress of the projections, from the running server, or from the file when none runs. */
export const read = Effect.gen(function* () {
  const server = yield* Effect.scoped(OperatorAccess.runningServer)
  if (Option.isSome(server)) {
    return yield* Effect.flatMap(Administration, ({ listProjections }) => listProjections()).pipe(
      Effect.provide(server.value)
    )
  }
  const base = Generations.baseIn(yield* DataDirectory)
  return yield* ProjectionStatus.read({ base, projections: allProjections })
})
