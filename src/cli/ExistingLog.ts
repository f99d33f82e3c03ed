/** The data directory for commands that need an existing log, in the directory or on NATS. They never create one. */
import { Effect, Layer, Schema } from "effect"
import { configured, DataDirectory, holdsLog } from "#src/kernel/disk/DataDirectory.ts"
import { eventStore } from "#src/kernel/settings/EventStoreSetting.ts"

export class NoLog extends Schema.TaggedError<NoLog>()("NoLog", { directory: Schema.String }) {
  override get message(): string {
    return `DATA_DIR: ${this.directory} contains no event log`
  }
}

/** A file of the directory cannot be renamed or written. */
export class NotWritable extends Schema.TaggedError<NotWritable>()("NotWritable", { file: Schema.String }) {
  override get message(): string {
    return `DATA_DIR: ${this.file} cannot be written`
  }
}

const found = Effect.gen(function* () {
  const { _tag } = yield* eventStore.config
  const directory = yield* configured
  if (_tag === "Sqlite" && !holdsLog(directory)) return yield* new NoLog({ directory })
  return directory
})

/**
 * For commands that only read the log. The directory may be read-only, and need not exist when the log is on NATS.
 */
export const layerReadOnly = Layer.effect(DataDirectory, found)

/** For commands that open the log and its read models. With a log on NATS, the directory is created at first use. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { _tag } = yield* eventStore.config
    const directory = yield* found
    return _tag === "Sqlite" ? Layer.succeed(DataDirectory, directory) : DataDirectory.layerAt(directory)
  })
)
