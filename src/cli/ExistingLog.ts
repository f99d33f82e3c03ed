/** The data directory for commands that need an existing log, in the directory or on NATS. They never create one. */
import { Effect, Layer } from "effect"
import { configured, DataDirectory, holdsLog } from "#src/kernel/disk/DataDirectory.ts"
import * as ReleaseFile from "#src/kernel/disk/ReleaseFile.ts"
import { CommandError } from "./Failure.ts"
import { eventStore } from "#src/kernel/settings/EventStoreSetting.ts"

const found = Effect.gen(function* () {
  const { _tag } = yield* eventStore.config
  const directory = yield* configured
  if (_tag === "Sqlite" && !holdsLog(directory)) {
    return yield* new CommandError({ message: `DATA_DIR: ${directory} contains no event log` })
  }
  yield* ReleaseFile.check(directory)
  return directory
})

/** For commands that only read the log. The directory may be read-only, and may be missing if the log is on NATS. */
export const layerReadOnly = Layer.effect(DataDirectory, found)

/** For commands that open the log and its read models. With a log on NATS, the directory is created at first use. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { _tag } = yield* eventStore.config
    const directory = yield* found
    return _tag === "Sqlite" ? Layer.succeed(DataDirectory, directory) : DataDirectory.layerAt(directory)
  })
)
