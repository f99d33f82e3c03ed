/** The stored state of unfinished multipart uploads, so that the same command can continue them. Contains no key. */
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

/** Identifies an upload. */
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
  /** `null` without a readable state. */
  readonly load: Effect.Effect<UnderWay | null>
  /** Readable by the owner only. Returns `false` when nothing can be written; the upload then cannot be continued later. */
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
