/** The store and the record as seen by a process that dies at a given step: nothing after that step takes effect. */
import { Effect, Layer } from "effect"
import { SnapshotPointer } from "#projections/snapshot/SnapshotPointer.ts"
import { BlobStore } from "#streams/BlobStore.ts"

/** Dies just before this write, counted from 0, or after it and before its answer. */
export interface Death {
  readonly at: number
  readonly when: "before" | "after"
}

/** `count` returns the number of begun writes. */
export const layer = ({ at, when }: Death, count: { writes: number }) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      const pointer = yield* SnapshotPointer
      const killed = Effect.die("killed")

      const step = <A, E>(write: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        Effect.suspend(() => {
          const number = count.writes++
          if (number < at) return write
          return number === at && when === "after" ? Effect.andThen(write, killed) : killed
        })

      return Layer.mergeAll(
        Layer.succeed(BlobStore, {
          ...blobs,
          put: (key, body) => step(blobs.put(key, body)),
          remove: (key) => step(blobs.remove(key))
        }),
        Layer.succeed(SnapshotPointer, {
          ...pointer,
          put: (snapshots, revision) => step(pointer.put(snapshots, revision))
        })
      )
    }).pipe(Effect.flatMap(Layer.build))
  )
