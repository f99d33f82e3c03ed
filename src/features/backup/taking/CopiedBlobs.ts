/** Copies blobs that the target does not have yet, and checks them by reading them back. */
import * as crypto from "node:crypto"
import { Effect, Stream } from "effect"
import type { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import type { StreamName } from "#streams/StreamName.ts"
import type { BackupDamaged } from "../BackupError.ts"
import type { Entry } from "../format/Inventories.ts"
import * as Pieces from "../format/Pieces.ts"
import type { NamedBlob } from "../NamedBlobs.ts"

type Store = BlobStore["Service"]

export interface CopyOptions {
  readonly from: Store
  readonly to: Store
}

/** Blobs are copied a few at a time, because S3 answers with a delay. */
export const concurrency = 8

const hashed = (body: Stream.Stream<Uint8Array, BlobStoreError>) => {
  const hash = crypto.createHash("sha256")
  return {
    body: Stream.tap(body, (chunk) => Effect.sync(() => hash.update(chunk))),
    sha256: () => hash.digest("hex")
  }
}

/** An object of an earlier backup that did not reach its end is used if it has the right size. */
const found = Effect.fnUntraced(function* (to: Store, object: string, size: number) {
  const blob = yield* to.get(object)
  if (blob === null || blob.size !== size) return null
  const { body, sha256 } = hashed(blob.body)
  yield* Stream.runDrain(body)
  return sha256()
})

/** `null` when the blob store does not have the blob: it was removed, or it is lost. */
export const copy = Effect.fn("CopiedBlobs.copy")(function* (
  { from, to }: CopyOptions,
  stream: StreamName,
  { key, object, etag }: NamedBlob
): Effect.fn.Return<Entry | null, BlobStoreError | BackupDamaged> {
  const blob = yield* from.get(key)
  if (blob === null) return null
  const known = yield* found(to, object, blob.size)
  const { body, sha256 } = hashed(blob.body)
  const size = known === null ? yield* to.put(object, body) : blob.size
  const entry = { key, stream, object, size, sha256: known ?? sha256(), ...(etag !== undefined && { etag }) }
  if (known === null) yield* Pieces.check(to, { key: object, sha256: entry.sha256, size })
  return entry
})
