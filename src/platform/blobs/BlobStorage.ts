/** The blob store of `BLOB_STORE`: `file` (data directory), `file:///path` (may be shared) or `s3://bucket`. */
import * as path from "node:path"
import * as url from "node:url"
import { Config, Effect, Layer, Result, Schema } from "effect"
import type { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { eventStore } from "#src/kernel/settings/EventStoreSetting.ts"
import * as Setting from "#src/kernel/settings/Setting.ts"
import * as S3Options from "./s3/S3Options.ts"

/** The location of blobs. */
export type BlobStoreChoice =
  /** In this folder; `null` means the data directory. */
  | { readonly _tag: "File"; readonly folder: string | null }
  | { readonly _tag: "S3"; readonly options: S3Options.S3Options }

const inDataDirectory: BlobStoreChoice = { _tag: "File", folder: null }

const folderOf = (text: string): string | null => {
  if (!text.startsWith("file:///")) return null
  try {
    const folder = url.fileURLToPath(text)
    return path.isAbsolute(folder) ? folder : null
  } catch {
    return null
  }
}

/** Fails with a message more precise than `expected`, if there is one, that repeats no value. */
const parse = (text: string): Result.Result<BlobStoreChoice, string | null> => {
  if (text === "file") return Result.succeed(inDataDirectory)
  if (text.startsWith("s3://"))
    return Result.map(S3Options.parse(text), (options) => ({ _tag: "S3", options }))
  const folder = folderOf(text)
  return folder === null ? Result.fail(null) : Result.succeed({ _tag: "File", folder })
}

const BlobStoreText = Schema.String.check(
  Schema.makeFilter((text: string) => Result.isSuccess(parse(text)), {
    expected: `"file", an absolute file:///path, or ${S3Options.expected}`
  })
)

/** Nodes that share a log must share the blob store too. */
export class BlobStoreNotShared extends Schema.TaggedError<BlobStoreNotShared>()("BlobStoreNotShared", {}) {
  override readonly message =
    "With EVENT_STORE=nats://… nodes must share their blobs too: expected a folder that all nodes can access, file:///<path>, " +
    "or a bucket, s3://<bucket>"
}

export const blobStore: Setting.Setting<BlobStoreChoice> = Setting.make({
  name: "BLOB_STORE",
  config: (name) =>
    Config.map(Config.schema(BlobStoreText, name), (text) =>
      Result.getOrElse(parse(text), () => inDataDirectory)
    ),
  default: inDataDirectory,
  defaultText: "`file`",
  description:
    "the location of large payloads and media: in `DATA_DIR`, in a folder that nodes can share, or in a bucket on an S3-compatible server",
  accepts: `\`file\`, \`file:///<path>\`, or ${S3Options.expected}`,
  example: "s3://inferlog-blobs?region=eu-central-1",
  fault: (text) => Result.match(parse(text), { onFailure: (fault) => fault, onSuccess: () => null })
})

/** Fails when nodes share the log but this node's blob store is local. */
export const checkShared = Effect.gen(function* () {
  const { _tag } = yield* eventStore.config
  const choice = yield* blobStore.config
  if (_tag === "Nats" && choice._tag === "File" && choice.folder === null) {
    return yield* new BlobStoreNotShared()
  }
})

/** The S3 client is loaded only when used, because loading takes time. */
const s3 = (options: S3Options.S3Options) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./s3/S3BlobStore.ts")),
      (S3BlobStore) => S3BlobStore.layer(options)
    )
  )

export interface StoreOptions {
  readonly dataDirectory: string
  /** Whether a server may be using the same data directory: its unfinished writes are then not removed. */
  readonly isBeside: boolean
}

/** The configured store for a data directory. */
export const layerOf = (
  choice: BlobStoreChoice,
  { dataDirectory, isBeside }: StoreOptions
): Layer.Layer<BlobStore, BlobStoreError> => {
  if (choice._tag === "S3") return s3(choice.options)
  const root = choice.folder ?? path.join(dataDirectory, "blobs")
  return FileBlobStore.layer({ root, isShared: isBeside || choice.folder !== null })
}

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const dataDirectory = yield* DataDirectory
    yield* checkShared
    return layerOf(yield* blobStore.config, { dataDirectory, isBeside: false })
  })
)
