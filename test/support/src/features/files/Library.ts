/** Clients of a node's files: the operations of the routes, and reads by URL. */
import { Readable } from "node:stream"
import { Effect, Layer, Stream } from "effect"
import { FileId } from "#domain/Ids.ts"
import { AssetLibrary } from "#src/features/files/AssetLibrary.ts"
import { FileSweep } from "#src/features/files/FileSweep.ts"
import { Reception } from "#src/features/media/storage/Reception.ts"
import { type Announced, Uploads } from "#src/features/files/Uploads.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as DirectUploadStore from "#test/support/DirectUploadStore.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as TestNode from "#test/support/TestNode.ts"

export const alice = Facts.caller("acc_alice")
export const bob = Facts.caller("acc_bob")

/** A log in memory and a folder of blobs. */
export const folder = TempDirectory.provide((directory) =>
  FileBlobStore.layer({ root: directory, isShared: true })
).pipe(Layer.provideMerge(TestNode.storeLayer))

/** A log and a store in memory that clients upload to directly. */
const foreign = DirectUploadStore.blobs.pipe(Layer.provideMerge(TestNode.storeLayer))

const over = (options: TestNode.NodeOptions) => TestNode.nodeLayer({ dispatches: false, ...options })

/** One node that receives uploads. */
export const local = (options: TestNode.NodeOptions = {}) => over(options).pipe(Layer.provideMerge(folder))

/** One node whose clients upload to the store. */
export const direct = (
  uploads: ReturnType<typeof DirectUploadStore.make>,
  options: TestNode.NodeOptions = {}
) => over({ uploads: uploads.uploads, ...options }).pipe(Layer.provideMerge(foreign))

const announced = (more: Partial<Announced>): Announced => ({
  caller: alice,
  fileName: "cat.png",
  contentType: "image/png",
  size: null,
  ...more
})

export const idOf = (url: string): FileId => FileId.make(new URL(url).pathname.split("/")[2] ?? "")

export const initiate = Effect.fnUntraced(function* (more: Partial<Announced> = {}) {
  const { fileUrl, uploadUrl } = yield* (yield* Uploads).initiate(announced(more))
  return { id: idOf(fileUrl), fileUrl, uploadUrl }
})

export const initiateMultipart = Effect.fnUntraced(function* (more: Partial<Announced> = {}) {
  const { caller = alice } = more
  const { fileUrl, uploadId, uploadKey } = yield* (yield* Uploads).initiateMultipart(announced(more))
  return { id: idOf(fileUrl), fileUrl, named: { caller, uploadId, uploadKey } }
})

export type Upload = Effect.Success<ReturnType<typeof initiateMultipart>>

/** Uploads to a URL of the node and returns the ETag. */
export const put = (url: string, bytes: string | Uint8Array, contentType = "image/png") => {
  const { pathname, searchParams } = new URL(url)
  const body = Buffer.from(bytes)
  return Effect.flatMap(Reception, ({ receive }) =>
    receive({
      id: pathname.split("/")[2] ?? "",
      query: Object.fromEntries(searchParams),
      contentType,
      contentLength: body.length,
      contentMd5: undefined,
      body: Readable.from([body])
    })
  )
}

/** A file uploaded in one PUT. */
export const uploaded = Effect.fnUntraced(function* (bytes: string, more: Partial<Announced> = {}) {
  const { id, uploadUrl } = yield* initiate(more)
  yield* put(uploadUrl, bytes)
  return id
})

export const partUrl = ({ named }: Upload, partNumber: number) =>
  Effect.flatMap(Uploads, (uploads) => uploads.partUrl({ ...named, partNumber }))

/** The ETag. */
export const putPart = Effect.fnUntraced(function* (
  upload: Upload,
  partNumber: number,
  bytes: string | Uint8Array
) {
  return { partNumber, etag: yield* put(yield* partUrl(upload, partNumber), bytes) }
})

type Part = Effect.Success<ReturnType<typeof putPart>>

export const complete = ({ named }: Upload, first: Part, ...rest: ReadonlyArray<Part>) =>
  Effect.flatMap(Uploads, (uploads) => uploads.complete({ ...named, parts: [first, ...rest] }))

/** Bytes of every part but the last. */
export const minPart = 5 * 1024 ** 2
export const big = (fill: string) => fill.repeat(minPart)

/** Two arrived parts: `big("a")` and `end`. */
export const inParts = Effect.fnUntraced(function* (more: Parameters<typeof initiateMultipart>[0] = {}) {
  const upload = yield* initiateMultipart(more)
  const second = yield* putPart(upload, 2, "end")
  const first = yield* putPart(upload, 1, big("a"))
  return { upload, first, second }
})

/** The tag of what it fails with. */
export const errorAnswer = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

/** The bytes at its URL. */
export const read = (id: FileId) =>
  Effect.flatMap(MediaStore, (store) => store.open(id)).pipe(
    Effect.flatMap((opened) =>
      opened === null ? Effect.succeed(null) : Stream.mkString(Stream.decodeText(opened.body))
    ),
    Effect.catchTag("MediaGone", () => Effect.succeed("gone" as const))
  )

export const list = (options: Partial<Parameters<AssetLibrary["Service"]["list"]>[0]> = {}) =>
  Effect.flatMap(AssetLibrary, (library) =>
    library.list({ caller: alice, page: 1, after: null, limit: 50, ...options })
  )

export const ids = (options: Parameters<typeof list>[0] = {}) =>
  Effect.map(list(options), ({ items }) => items.map(({ fileId }) => fileId))

export const get = (id: string, caller = alice) =>
  Effect.flatMap(AssetLibrary, (library) => library.get({ caller, id }))

export const remove = (id: string, caller = alice) =>
  Effect.flatMap(AssetLibrary, (library) => library.remove({ caller, id }))

export const sweep = Effect.flatMap(FileSweep, ({ pass }) => pass)

export const typesOf = Effect.fnUntraced(function* (id: FileId) {
  const events = yield* (yield* EventReader).read(StreamName.make("File", id))
  return events.map(({ type }) => type)
})

/** Keys of all bytes of the file. */
export const blobsOf = Effect.fnUntraced(function* (id: FileId) {
  const blobs = yield* BlobStore
  const parts = yield* Stream.runCollect(blobs.list(`media/${id}.parts`))
  const whole = (yield* blobs.size(`media/${id}`)) === null ? [] : [`media/${id}`]
  return [...whole, ...parts.map(({ key }) => key)]
})
