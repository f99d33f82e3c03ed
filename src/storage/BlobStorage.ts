/** The blob store that `BLOB_STORE` names: `file` (in the data directory) or `file:///path` (a folder that nodes may share). */
import * as path from "node:path"
import * as url from "node:url"
import { Config, Effect, Layer, Schema } from "effect"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import { DataDirectory } from "#src/DataDirectory.ts"

const BlobStoreSetting = Schema.String.check(
  Schema.makeFilter((text: string) => text === "file" || isFileUrl(text), {
    expected: `"file" or an absolute file:///path`
  })
)

const isFileUrl = (text: string) => text.startsWith("file:///") && URL.canParse(text)

export const setting = Config.withDefault(Config.schema(BlobStoreSetting, "BLOB_STORE"), "file")

/** The folder that the setting means for a data directory. */
export const options = (value: string, dataDirectory: string): FileBlobStore.FileBlobStoreOptions =>
  value === "file"
    ? { root: path.join(dataDirectory, "blobs"), isShared: false }
    : { root: url.fileURLToPath(value), isShared: true }

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const directory = yield* DataDirectory
    return FileBlobStore.layer(options(yield* setting, directory))
  })
)
