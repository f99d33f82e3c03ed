/** Data directory and store of a complete server, over either store, with direct access to the store. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import {
  CompleteMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  type S3Client
} from "@aws-sdk/client-s3"
import { Effect, type Scope } from "effect"
import * as S3Server from "#test/support/servers/S3Server.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

export type Store = "disk" | "S3"

/** The store's own report of bytes. */
interface Kept {
  readonly size: number
  readonly etag: string
}

export interface StorePlace {
  readonly store: Store
  readonly dataDirectory: string
  /** The same for every server here, because URLs outlive a restart. */
  readonly port: number
  /** The server's settings. */
  readonly env: Readonly<Record<string, string>>
  /** Keys of all blobs with this prefix, including parts of unfinished uploads on disk. */
  readonly keys: (prefix: string) => Effect.Effect<ReadonlyArray<string>>
  readonly head: (key: string) => Effect.Effect<Kept>
  /** Parts of an incomplete upload; the last of repeated ones. */
  readonly parts: (
    key: string,
    uploadId: string
  ) => Effect.Effect<ReadonlyArray<Kept & { readonly partNumber: number }>>
  /** Makes S3 combine it, as a server that dies before recording it. No effect on disk. */
  readonly assemble: (
    key: string,
    uploadId: string,
    parts: ReadonlyArray<{ readonly partNumber: number; readonly etag: string }>
  ) => Effect.Effect<void>
  /** Keys of unfinished uploads at S3. */
  readonly awaited: Effect.Effect<ReadonlyArray<string>>
}

const filesBelow = (root: string): ReadonlyArray<string> =>
  fs.existsSync(root)
    ? fs
        .readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    : []

const read = (file: string): Kept => {
  const bytes = fs.readFileSync(file)
  return { size: bytes.length, etag: crypto.hash("md5", bytes) }
}

const onDisk = (blobs: string) => ({
  env: {},
  head: (key: string) => Effect.sync(() => read(path.join(blobs, key))),
  parts: (key: string) =>
    Effect.sync(() => {
      const folder = path.join(blobs, `${key}.parts`)
      // Names sort by number and time; the last one counts.
      const names = new Map(
        filesBelow(folder)
          .toSorted()
          .map((name) => [Number.parseInt(name), name])
      )
      return Array.from(names, ([partNumber, name]) => ({ partNumber, ...read(path.join(folder, name)) }))
    }),
  keys: (prefix: string) => Effect.sync(() => filesBelow(blobs).filter((key) => key.startsWith(prefix))),
  assemble: () => Effect.void,
  awaited: Effect.succeed([])
})

/** The bucket as seen by the official SDK. */
const inBucket = (client: S3Client, Bucket: string) => ({
  keys: (Prefix: string) =>
    Effect.promise(async () => {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix }))
      return Contents.map(({ Key = "" }) => Key)
    }),
  head: (Key: string) =>
    Effect.promise(async () => {
      const { ContentLength = -1, ETag = "" } = await client.send(new HeadObjectCommand({ Bucket, Key }))
      return { size: ContentLength, etag: JSON.parse(ETag) }
    }),
  parts: (Key: string, UploadId: string) =>
    Effect.promise(async () => {
      const { Parts = [] } = await client.send(new ListPartsCommand({ Bucket, Key, UploadId }))
      return Parts.map(({ ETag = "", PartNumber = 0, Size = -1 }) => ({
        partNumber: PartNumber,
        size: Size,
        etag: JSON.parse(ETag)
      }))
    }),
  assemble: (
    Key: string,
    UploadId: string,
    parts: ReadonlyArray<{ readonly partNumber: number; readonly etag: string }>
  ) =>
    Effect.promise(async () => {
      const Parts = parts.map(({ etag, partNumber }) => ({ PartNumber: partNumber, ETag: etag }))
      await client.send(
        new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } })
      )
    }),
  awaited: Effect.promise(async () => {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }))
    return Uploads.map(({ Key = "" }) => Key)
  })
})

const onS3 = Effect.gen(function* () {
  const server = yield* S3Server.shared
  const bucket = yield* S3Server.newBucket(server)
  const env = { ...S3Server.credentials, BLOB_STORE: S3Server.blobStore(server, bucket) }
  return { env, ...inBucket(yield* S3Server.clientOf(server), bucket) }
})

/** Empty, and removed with the scope. */
export const make = (
  store: Store,
  settings: Readonly<Record<string, string>> = {}
): Effect.Effect<StorePlace, never, Scope.Scope> =>
  Effect.gen(function* () {
    const dataDirectory = yield* TempDirectory.make
    const port = yield* Effect.promise(ServerProcess.freePort)
    const { env, ...look } = store === "S3" ? yield* onS3 : onDisk(path.join(dataDirectory, "blobs"))
    return { store, dataDirectory, port, env: { ...env, ...settings }, ...look }
  })
