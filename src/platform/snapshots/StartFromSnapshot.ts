/** Starts a node whose read models are missing or old from the newest snapshot. */
import { Effect, Layer } from "effect"
import { allProjections } from "#projections/AllProjections.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import * as Restore from "#projections/snapshot/Restore.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"

/**
 * Build it before `Projections` opens its file, in the process that holds the lock of the data directory. Never
 * fails: an unusable snapshot is logged, and the read models are built from the log.
 */
export const layer = Layer.effectDiscard(
  Effect.flatMap(DataDirectory, (directory) =>
    Restore.run({ base: Generations.baseIn(directory), projections: allProjections })
  )
)
