/** Lets a node that has no read models, or old ones, begin with the newest snapshot of them. */
import { Effect, Layer } from "effect"
import { allProjections } from "#projections/AllProjections.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import * as Restore from "#projections/snapshot/Restore.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"

/**
 * To be built before `Projections` opens its file, and by the process that holds the lock of the data directory. Never
 * fails: what cannot be used is logged, and the read models are built from the log.
 */
export const layer = Layer.effectDiscard(
  Effect.flatMap(DataDirectory, (directory) =>
    Restore.run({ base: Generations.baseIn(directory), projections: allProjections })
  )
)
