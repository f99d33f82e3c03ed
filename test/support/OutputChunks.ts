/** Live outputs of a test's servers or nodes, whose chunks are in an SQLite file of their own. */
import * as path from "node:path"
import { Effect, Layer } from "effect"
import { ChunkStore, ChunkStoreError } from "#src/features/live-output/ChunkStore.ts"
import * as SqliteChunkStore from "#src/features/live-output/SqliteChunkStore.ts"
import * as TempDirectory from "./TempDirectory.ts"

export const store = TempDirectory.provide((directory) =>
  SqliteChunkStore.layerAt(path.join(directory, "output.sqlite"))
)

/** In front of a store: fails for as long as the test wants. */
export const failing = () => {
  let isFailing = false
  const unless = <A>(use: Effect.Effect<A, ChunkStoreError>) =>
    Effect.suspend(() => (isFailing ? new ChunkStoreError({ cause: "full" }) : use))
  const layer = Layer.effect(
    ChunkStore,
    Effect.map(ChunkStore, ({ read, remove, watch, write }) =>
      ChunkStore.of({
        write: (batches) => unless(write(batches)),
        read: (requestId, place) => unless(read(requestId, place)),
        remove: (requestId) => unless(remove(requestId)),
        watch
      })
    )
  )
  return { layer, fail: (wanted: boolean) => void (isFailing = wanted) }
}
