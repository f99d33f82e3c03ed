/** A file that is stored as its parts. A manifest lists them in order. */
import { Effect, Schema, Stream } from "effect"
import type { FileId } from "#domain/Ids.ts"
import * as BlobRange from "#streams/BlobRange.ts"
import { type Blob, type BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import * as FileKeys from "../FileKeys.ts"

type Blobs = BlobStore["Service"]

/** Its fields are a storage format: add optional ones, never rename. */
export const Manifest = Schema.fromJsonString(
  Schema.Struct({
    parts: Schema.Array(
      Schema.Struct({
        /** Last segment of the key. */
        name: Schema.String,
        size: Schema.Int
      })
    )
  })
)
export type Manifest = typeof Manifest.Type

const decode = Schema.decodeUnknownEffect(Manifest)

/** A file in parts, as its event names it. */
export interface FileInParts {
  readonly id: FileId
  /** Over all parts: other parts make another manifest, and the event says which one counts. */
  readonly etag: string
}

export const manifestName = (etag: string): string => `manifest-${etag}`

export const manifestKey = ({ etag, id }: FileInParts): string =>
  `${FileKeys.partsFolder(id)}/${manifestName(etag)}`

/** `null` without a manifest. */
export const readManifest = Effect.fnUntraced(function* (blobs: Blobs, file: FileInParts) {
  const blob = yield* blobs.get(manifestKey(file))
  if (blob === null) return null
  const text = new TextDecoder().decode(yield* Stream.mkUint8Array(blob.body))
  return yield* decode(text).pipe(
    Effect.mapError((cause) => new BlobStoreError({ reason: "could not read a manifest of parts", cause }))
  )
})

/** Recently read manifests of each store. A manifest never changes once its file can be read. */
const cached = new WeakMap<Blobs, RecentlyUsed.RecentlyUsed<Manifest>>()

/** A manifest has up to 10,000 parts. */
const capacity = 32

const cacheOf = (blobs: Blobs): RecentlyUsed.RecentlyUsed<Manifest> => {
  const found = cached.get(blobs) ?? RecentlyUsed.make<Manifest>({ capacity })
  cached.set(blobs, found)
  return found
}

const manifestOf = Effect.fnUntraced(function* (blobs: Blobs, file: FileInParts) {
  const cache = cacheOf(blobs)
  const key = manifestKey(file)
  const known = cache.get(key)
  if (known !== undefined) return known
  const manifest = yield* readManifest(blobs, file)
  if (manifest !== null) cache.set(key, manifest)
  return manifest
})

interface Piece extends BlobRange.BlobRange {
  readonly name: string
}

/** The pieces of parts that make up a range. */
const piecesOf = ({ parts }: Manifest, range: BlobRange.BlobRange): ReadonlyArray<Piece> => {
  const end = range.start + range.length
  let position = 0
  const pieces: Array<Piece> = []
  for (const { name, size } of parts) {
    const start = Math.max(range.start, position)
    const length = Math.min(end, position + size) - start
    if (length > 0) pieces.push({ name, start: start - position, length })
    position += size
  }
  return pieces
}

/** Bytes of all parts. */
export const sizeOf = ({ parts }: Manifest): number => parts.reduce((sum, { size }) => sum + size, 0)

const lost = new BlobStoreError({ reason: "a part of the blob is not there" })

/** Fails instead of ending early, because a header may already promise the length. */
const read = (blobs: Blobs, id: FileId, { length, name, start }: Piece) =>
  Stream.unwrap(
    Effect.flatMap(blobs.get(`${FileKeys.partsFolder(id)}/${name}`, { start, length }), (blob) =>
      blob === null || blob.size < start + length ? lost : Effect.succeed(blob.body)
    )
  )

/** The bytes of the parts in order, or of a range. */
export const readParts = (
  blobs: Blobs,
  id: FileId,
  manifest: Manifest,
  range: BlobRange.BlobRange = { start: 0, length: sizeOf(manifest) }
): Stream.Stream<Uint8Array, BlobStoreError> =>
  Stream.flatMap(Stream.fromIterable(piecesOf(manifest, range)), (piece) => read(blobs, id, piece))

/** As `BlobStore.get` for one blob. Opens each part when it is needed. */
export const open = Effect.fn("PartsBlob.open")(function* (
  blobs: Blobs,
  file: FileInParts,
  range?: BlobRange.BlobRange
): Effect.fn.Return<Blob | null, BlobStoreError> {
  const manifest = yield* manifestOf(blobs, file)
  if (manifest === null) return null
  const size = sizeOf(manifest)
  return { size, body: readParts(blobs, file.id, manifest, yield* BlobRange.within(size, range)) }
})
