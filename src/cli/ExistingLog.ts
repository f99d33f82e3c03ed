/** The data directory of commands that need a log: in it, or at the NATS servers. They never make one. */
import { Effect, Layer, Schema } from "effect"
import { configured, DataDirectory, holdsLog } from "#src/kernel/disk/DataDirectory.ts"
import { eventStore } from "#src/kernel/settings/EventStoreSetting.ts"

export class NoLog extends Schema.TaggedError<NoLog>()("NoLog", { directory: Schema.String }) {
  override get message(): string {
    return `DATA_DIR: there is no event log in ${this.directory}`
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
 * For readers of the log. Nothing is written, so a copy may be read-only; with a log at the NATS servers the directory
 * need not be there.
 */
export const layerReadOnly = Layer.effect(DataDirectory, found)

/** For those who open the log and its read models. With a log at the NATS servers the directory is made at first use. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { _tag } = yield* eventStore.config
    const directory = yield* found
    return _tag === "Sqlite" ? Layer.succeed(DataDirectory, directory) : DataDirectory.layerAt(directory)
  })
)
