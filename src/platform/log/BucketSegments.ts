/**
 * Archived segments in buckets. Frames are read by their range, and kept in a cache in the data directory; whole segments are read for
 * verification, and not kept.
 */
import { Context, Effect, Layer, Result, type Scope, Stream } from "effect"
import { type SegmentBytes, type SegmentPlace, unreadable } from "#streams/archive/SegmentSource.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { configured } from "#src/kernel/disk/DataDirectory.ts"
import * as S3BlobStore from "#src/platform/blobs/s3/S3BlobStore.ts"
import * as S3Options from "#src/platform/blobs/s3/S3Options.ts"
import * as SegmentCache from "./SegmentCache.ts"

export const make = (scope: Scope.Scope): SegmentBytes => {
  const stores = new Map<string, BlobStore["Service"]>()
  let cache: SegmentCache.SegmentCache | undefined

  const storeOf = Effect.fnUntraced(function* ({ key, location }: SegmentPlace) {
    const known = stores.get(location)
    if (known !== undefined) return known
    const options = S3Options.parse(location)
    if (Result.isFailure(options)) return yield* unreadable(key, "its location is not a bucket")
    const context = yield* Layer.buildWithScope(S3BlobStore.layer(options.success), scope)
    const store = Context.get(context, BlobStore)
    stores.set(location, store)
    return store
  })

  const fetch: SegmentBytes["read"] = (place, range) =>
    Effect.gen(function* () {
      const store = yield* storeOf(place)
      const blob = yield* store.get(place.key, range)
      if (blob === null) return yield* unreadable(place.key, "it is not there")
      return Buffer.from(yield* Stream.mkUint8Array(blob.body))
    }).pipe(
      Effect.catchTag("BlobStoreError", (error) => Effect.fail(unreadable(place.key, error.reason, error)))
    )

  const cached = Effect.map(configured, (directory) => (cache ??= SegmentCache.make(directory)))

  return {
    read: (place, range): Effect.Effect<Uint8Array, EventStoreError> => {
      const digest = range?.digest
      return digest === undefined
        ? fetch(place, range)
        : Effect.flatMap(Effect.orDie(cached), ({ through }) => through(digest, fetch(place, range)))
    }
  }
}
