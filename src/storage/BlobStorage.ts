/** The blob store that `BLOB_STORE` names: `file` (in the data directory) or `file:///path` (a folder that nodes may share). */
import * as path from "node:path"
import * as url from "node:url"
import { Config, Effect, Layer, Schema } from "effect"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import { DataDirectory } from "#src/DataDirectory.ts"
import { eventStore } from "#src/EventStoreSetting.ts"
import * as Setting from "#src/settings/Setting.ts"

const isFileUrl = (text: string): boolean => {
  if (!text.startsWith("file:///")) return false
  try {
    return path.isAbsolute(url.fileURLToPath(text))
  } catch {
    return false
  }
}

const BlobStoreName = Schema.String.check(
  Schema.makeFilter((text: string) => text === "file" || isFileUrl(text), {
    expected: `"file" or an absolute file:///path`
  })
)

/** Nodes that share a log have to share what lies beside it. */
export class BlobStoreNotShared extends Schema.TaggedError<BlobStoreNotShared>()("BlobStoreNotShared", {}) {
  override readonly message =
    "With EVENT_STORE=nats://… nodes share their blobs too: expected a folder that all of them see, file:///<path>"
}

export const blobStore = Setting.make({
  name: "BLOB_STORE",
  config: (name) => Config.schema(BlobStoreName, name),
  default: "file",
  description: "where large payloads and media are: in `DATA_DIR`, or in a folder that nodes may share",
  accepts: "`file`, or `file:///<path>`",
  example: "file:///srv/inferlog-blobs"
})

/** The folder that the setting means for a data directory. */
export const options = (value: string, dataDirectory: string): FileBlobStore.FileBlobStoreOptions =>
  value === "file"
    ? { root: path.join(dataDirectory, "blobs"), isShared: false }
    : { root: url.fileURLToPath(value), isShared: true }

/** Fails when nodes share the log and this one keeps its blobs to itself. */
export const checkShared = Effect.gen(function* () {
  const { _tag } = yield* eventStore.config
  if (_tag === "Nats" && (yield* blobStore.config) === "file") return yield* new BlobStoreNotShared()
})

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const directory = yield* DataDirectory
    yield* checkShared
    return FileBlobStore.layer(options(yield* blobStore.config, directory))
  })
)
