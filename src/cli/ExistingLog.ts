/** The data directory of commands that need a log in it: they never make one. */
import * as fs from "node:fs"
import { Effect, Layer, Schema } from "effect"
import { configured, DataDirectory } from "#src/DataDirectory.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"

export class NoLog extends Schema.TaggedError<NoLog>()("NoLog", { directory: Schema.String }) {
  override get message(): string {
    return `DATA_DIR: there is no event log in ${this.directory}`
  }
}

/** `DataDirectory` of an existing log. Nothing is written, so a copy may be read-only. */
export const layer = Layer.effect(
  DataDirectory,
  Effect.gen(function* () {
    const directory = yield* configured
    if (!fs.existsSync(SqliteEventStore.files(directory).log)) return yield* new NoLog({ directory })
    return directory
  })
)
