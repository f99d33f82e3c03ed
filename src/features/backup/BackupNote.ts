/** `DATA_DIR/backup.json`: up to where the log is backed up, for the metrics of the server. Only `backup` writes it. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Schema } from "effect"
import { GlobalPosition } from "#streams/GlobalPosition.ts"

const Note = Schema.fromJsonString(
  Schema.Struct({
    /** The last event of the last backup. */
    position: GlobalPosition
  })
)
const decode = Schema.decodeUnknownEffect(Note)
const encode = Schema.encodeSync(Note)

const fileIn = (directory: string): string => path.join(directory, "backup.json")

/** `null` when there is none, or when it cannot be read. */
export const read = Effect.fn("BackupNote.read")(
  function* (directory: string) {
    const text = yield* Effect.tryPromise(() => fs.promises.readFile(fileIn(directory), "utf8"))
    return (yield* decode(text)).position
  },
  Effect.catch(() => Effect.succeed(null))
)

/** Complete or not there. Only a warning when the directory cannot be written: the backup is there without it. */
export const write = Effect.fn("BackupNote.write")(function* (directory: string, position: GlobalPosition) {
  // A log on NATS needs no directory.
  if (!fs.existsSync(directory) || (yield* read(directory)) === position) return
  const file = fileIn(directory)
  yield* Effect.try(() => {
    fs.writeFileSync(`${file}.new`, `${encode({ position })}\n`, { mode: 0o600 })
    fs.renameSync(`${file}.new`, file)
  }).pipe(
    Effect.catch((error) =>
      Effect.logWarning("DATA_DIR cannot be written: the metrics of backups are not current", error)
    )
  )
})
