/** Stores the state of unfinished multipart uploads, so that the same command can continue them. Contains no API key. */
import * as crypto from "node:crypto"
import * as os from "node:os"
import * as path from "node:path"
import { Clock, Config, Duration, Effect, FileSystem, Option, Schema } from "effect"
import * as FileLimits from "#src/features/media/storage/FileLimits.ts"
import { Multipart } from "./Wire.ts"

/** Identifies an upload. */
interface Identity {
  readonly serverUrl: string
  /** Absolute. */
  readonly path: string
  /** `LocalFile.version` */
  readonly version: string
  readonly fileName: string
  readonly contentType: string
  /** Bytes. */
  readonly partSize: number
}

const stateHome = Config.String("XDG_STATE_HOME").pipe(
  Config.withDefault(path.join(os.homedir(), ".local", "state"))
)

const nameOf = ({ contentType, fileName, partSize, path, serverUrl, version }: Identity): string =>
  crypto
    .createHash("sha256")
    .update(JSON.stringify([serverUrl, path, version, fileName, contentType, partSize]))
    .digest("hex")

const json = Schema.fromJsonString(Multipart)
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

export const make = Effect.fnUntraced(function* (identity: Identity) {
  const fileSystem = yield* FileSystem.FileSystem
  const directory = path.join(yield* stateHome, "inferlog", "uploads")
  const file = path.join(directory, `${nameOf(identity)}.json`)
  const written = Effect.fnUntraced(
    function* (upload: Multipart) {
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
    save: (upload: Multipart) => Effect.orElseSucceed(written(upload), () => false),
    forget: Effect.ignore(fileSystem.remove(file))
  }
})
