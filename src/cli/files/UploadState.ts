/** Stores the state of unfinished multipart uploads, so that the same command can continue them. Contains no API key. */
import * as crypto from "node:crypto"
import * as os from "node:os"
import * as path from "node:path"
import { Clock, Config, Duration, Effect, FileSystem, Option, Schema } from "effect"
import * as FileLimits from "#src/features/media/storage/FileLimits.ts"
import type { UploadRef } from "#clients/typescript/files/Upload.ts"

const stateHome = Config.String("XDG_STATE_HOME").pipe(
  Config.withDefault(path.join(os.homedir(), ".local", "state"))
)

const json = Schema.fromJsonString(Schema.Struct({ uploadId: Schema.String, uploadKey: Schema.String }))
const encode = Schema.encodeEffect(json)

/** Removes states whose parts have expired on every server. */
const sweep = Effect.fnUntraced(
  function* (directory: string) {
    const fileSystem = yield* FileSystem.FileSystem
    const oldest = (yield* Clock.currentTimeMillis) - Duration.toMillis(FileLimits.partsLifetime)
    for (const name of yield* fileSystem.readDirectory(directory)) {
      const file = path.join(directory, name)
      const { mtime } = yield* fileSystem.stat(file)
      if (Option.isSome(mtime) && mtime.value.getTime() < oldest) yield* fileSystem.remove(file)
    }
  },
  (swept) => Effect.ignore(swept)
)

/** `identity`: everything that must be equal for continuing an upload. */
export const make = Effect.fnUntraced(function* (identity: ReadonlyArray<string | number>) {
  const fileSystem = yield* FileSystem.FileSystem
  const directory = path.join(yield* stateHome, "inferlog", "uploads")
  const name = crypto.hash("sha256", JSON.stringify(identity))
  const file = path.join(directory, `${name}.json`)
  const written = Effect.fnUntraced(
    function* (upload: UploadRef) {
      yield* fileSystem.makeDirectory(directory, { recursive: true, mode: 0o700 })
      yield* sweep(directory)
      const draft = `${file}.${process.pid}`
      yield* fileSystem.writeFileString(draft, yield* encode(upload), { mode: 0o600 })
      yield* fileSystem.rename(draft, file)
      return true
    },
    Effect.provideService(FileSystem.FileSystem, fileSystem)
  )
  return {
    /** `null` without a readable state. */
    load: fileSystem.readFileString(file).pipe(
      Effect.flatMap(Schema.decodeEffect(json)),
      Effect.orElseSucceed(() => null)
    ),
    /** Readable by the owner only. Returns `false` if the state cannot be written. The upload then cannot be continued later. */
    save: (upload: UploadRef) => Effect.orElseSucceed(written(upload), () => false),
    forget: Effect.ignore(fileSystem.remove(file))
  }
})
