import { Effect } from "effect"
import { BlobStore } from "#streams/BlobStore.ts"

/** A blob store that lists the keys of its current blobs. */
export const make = Effect.map(BlobStore, (blobs) => {
  const stored = new Set<string>()
  const store = BlobStore.of({
    ...blobs,
    put: (key, bytes) =>
      Effect.tap(
        blobs.put(key, bytes),
        Effect.sync(() => stored.add(key))
      ),
    remove: (key) =>
      Effect.tap(
        blobs.remove(key),
        Effect.sync(() => stored.delete(key))
      )
  })
  const keys: ReadonlySet<string> = stored
  return { store, keys }
})
