/** What is remembered of uploads in parts that are under way, so that the same command goes on with them. No key is in it. */
import * as crypto from "node:crypto"
import * as os from "node:os"
import * as path from "node:path"
import { Clock, Config, Duration, Effect, FileSystem, Option, Schema } from "effect"
import * as FileLimits from "#src/features/media/storage/FileLimits.ts"

export const UnderWay = Schema.Struct({
  fileUrl: Schema.String,
  uploadId: Schema.String,
  uploadKey: Schema.String
})
export type UnderWay = typeof UnderWay.Type

/** What makes it the same upload. */
export interface Identity {
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

export interface UploadState {
  /** `null` when nothing is remembered that can be read. */
  readonly load: Effect.Effect<UnderWay | null>
  /** Of the owner's alone. Where nothing can be written the upload goes on, and cannot be resumed: `false`. */
  readonly save: (underWay: UnderWay) => Effect.Effect<boolean>
  readonly forget: Effect.Effect<void>
}

const stateHome = Config.String("XDG_STATE_HOME").pipe(
  Config.withDefault(path.join(os.homedir(), ".local", "state"))
)

const nameOf = ({ contentType, fileName, partSize, path, serverUrl, version }: Identity): string =>
  crypto
    .createHash("sha256")
    .update(JSON.stringify([serverUrl, path, version, fileName, contentType, partSize]))
    .digest("hex")

const json = Schema.fromJsonString(UnderWay)
const decode = Schema.decodeEffect(json)
const encode = Schema.encodeEffect(json)

/** Removes what no server has parts of any more. */
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
    function* (underWay: UnderWay) {
      yield* fileSystem.makeDirectory(directory, { recursive: true, mode: 0o700 })
      yield* sweep(directory)
      const draft = `${file}.${process.pid}`
      yield* fileSystem.writeFileString(draft, yield* encode(underWay), { mode: 0o600 })
      yield* fileSystem.rename(draft, file)
      return true
    },
    Effect.provideService(FileSystem.FileSystem, fileSystem)
  )
  return {
    load: fileSystem.readFileString(file).pipe(
      Effect.flatMap((text) => decode(text)),
      Effect.orElseSucceed(() => null)
    ),
    save: (underWay) => Effect.orElseSucceed(written(underWay), () => false),
    forget: Effect.ignore(fileSystem.remove(file))
  } satisfies UploadState
})
