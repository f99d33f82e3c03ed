/** Where this process reads archived segments: folders, and buckets through a cache on disk. */
import { Effect, Layer, Scope } from "effect"
import { folders, SegmentSource } from "#streams/archive/SegmentSource.ts"

/** The S3 client is loaded only when a segment is in a bucket. */
export const layer = Layer.effect(
  SegmentSource,
  Effect.gen(function* () {
    const scope = yield* Scope.Scope
    const buckets = yield* Effect.cached(
      Effect.map(
        Effect.promise(() => import("./BucketSegments.ts")),
        (BucketSegments) => BucketSegments.make(scope)
      )
    )
    return {
      read: (place, range) =>
        place.location.startsWith("s3:")
          ? Effect.flatMap(buckets, ({ read }) => read(place, range))
          : folders.read(place, range)
    }
  })
)
