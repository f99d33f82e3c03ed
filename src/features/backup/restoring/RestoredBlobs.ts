/** Writes the blobs that a restored log names to a blob store, checked. */
import { Effect } from "effect"
import type { BlobStore } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Inventories from "../format/Inventories.ts"
import type { Generation } from "../format/Manifest.ts"
import * as Pieces from "../format/Pieces.ts"
import * as NamedBlobs from "../NamedBlobs.ts"

interface Options {
  readonly pieces: BlobStore["Service"]
  readonly generation: Generation
  readonly to: BlobStore["Service"]
}

/** Blobs are written a few at a time, because S3 answers with a delay. */
const concurrency = 8

const prefix = "payloads/"

/** Whether the restored log names these bytes. */
const isNeeded = Effect.fnUntraced(function* ({ etag, key, stream }: Inventories.Entry) {
  const reader = yield* EventReader
  const name = StreamName.trusted(stream)
  if (key.startsWith(prefix)) {
    // The key ends in the payload's name and its hash, which is in base64url of 43 characters.
    const last = key.slice(key.lastIndexOf("/") + 1)
    const record = yield* reader.payload(name, last.slice(0, -44))
    return record?.content._tag === "Blob" && record.content.key === key
  }
  const events = yield* reader.read(name)
  if (events.some(({ type }) => type === "BytesRemoved")) return false
  const stored = events.map(NamedBlobs.storedBy).findLast((found) => found !== null)
  return stored !== undefined && stored !== null && stored.etag === etag
})

/** Returns their number and bytes. */
export const write = Effect.fn("RestoredBlobs.write")(function* ({ generation, pieces, to }: Options) {
  let blobs = 0
  let bytes = 0
  for (const inventory of generation.inventories) {
    const entries = yield* Inventories.parse(inventory, yield* Pieces.readText(pieces, inventory))
    yield* Effect.forEach(
      entries,
      Effect.fnUntraced(function* (entry) {
        if (!(yield* isNeeded(entry))) return
        const { object, sha256, size } = entry
        // A blob that does not match fails before its last bytes, and leaves nothing under its key.
        const body = Pieces.checkedBlob(pieces, { key: object, sha256, size })
        yield* to.put(entry.key, body.stream).pipe(Effect.mapError((error) => body.fault() ?? error))
        blobs++
        bytes += size
      }),
      { concurrency, discard: true }
    )
  }
  return { blobs, bytes }
})
