import { Effect } from "effect"
import { LogArchiving } from "#src/features/archive/LogArchiving.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as CheckpointFiles from "#src/platform/checkpoints/CheckpointFiles.ts"
import * as CheckpointKey from "#src/platform/checkpoints/CheckpointKey.ts"
import * as Checkpoints from "#src/platform/checkpoints/Checkpoints.ts"
import * as LogStats from "#src/platform/log/LogStats.ts"
import { EventReader } from "#streams/EventReader.ts"
import { AdministrationFailed } from "../Operation.ts"
import type { LocalOperations } from "../Operations.ts"
import type { logOperations } from "./LogOperations.ts"

const dayMs = 24 * 60 * 60 * 1_000

export const make = Effect.gen(function* () {
  const reader = yield* EventReader
  const directory = yield* DataDirectory
  const archiving = yield* LogArchiving
  const measure = LogStats.measure.pipe(
    Effect.provideService(EventReader, reader),
    Effect.provideService(DataDirectory, directory),
    Effect.catchTags({
      // `log.head` cannot be read.
      LogBroken: ({ message }) => new AdministrationFailed({ reason: message }),
      ConfigError: Effect.die
    })
  )
  /** The newest ones first: two of the same position are of different kinds. */
  const proofs = Effect.gen(function* () {
    const key = yield* CheckpointKey.find(directory)
    const folder = CheckpointFiles.folderIn(directory)
    const found = yield* Checkpoints.load({ folder, key, log: yield* Checkpoints.identity })
    const data = found.map(({ facts }) => facts).toSorted((one, other) => other.madeAt - one.madeAt)
    return { data, publicKey: key?.publicKey ?? null }
  }).pipe(Effect.provideService(EventReader, reader), Effect.catchTag("ConfigError", Effect.die))
  const operations: LocalOperations<typeof logOperations> = {
    measureLog: () => measure,
    listProofs: () => proofs,
    archiveEvents: ({ after = 0, olderThanDays }) =>
      archiving.archive({ after, ageMs: olderThanDays * dayMs })
  }
  return operations
})
