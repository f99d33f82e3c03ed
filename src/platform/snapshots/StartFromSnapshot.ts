/** Starts a node whose read models are missing or old from the newest snapshot. */
import { Effect, Layer } from "effect"
import { allProjections } from "#projections/AllProjections.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import * as Restore from "#projections/snapshot/Restore.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"

/** Runs before `Projections` opens its file. Never fails: without a usable snapshot the log is read from the start. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(DataDirectory, (directory) =>
    Restore.run({ base: Generations.baseIn(directory), projections: allProjections })
  )
)
