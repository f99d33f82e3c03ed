import { Effect, Option } from "effect"
import { allProjections } from "#projections/AllProjections.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import * as ProjectionStatus from "#projections/status/ProjectionStatus.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as ReadOnlyLog from "#src/cli/log/ReadOnlyLog.ts"
import * as Remote from "#src/cli/remote/Remote.ts"

const fromServer = Effect.flatMap(Administration, ({ listProjections }) => listProjections())

/** From the running server of this machine, or from the file when none runs. */
const here = Effect.gen(function* () {
  const server = yield* Effect.scoped(OperatorAccess.runningServer)
  if (Option.isSome(server)) {
    return yield* Effect.provide(fromServer, server.value)
  }
  const base = Generations.baseIn(yield* DataDirectory)
  return yield* ProjectionStatus.read({ base, projections: allProjections })
})

/** The progress of the projections, of a server elsewhere or of this machine. */
export const read = Effect.gen(function* () {
  if (Option.isSome(yield* Remote.target))
    return yield* Effect.provide(fromServer, OperatorAccess.layerExisting)
  return yield* Effect.provide(here, ReadOnlyLog.layerOfNode)
})
