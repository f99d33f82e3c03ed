import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { RequestId } from "#domain/Ids.ts"
import { ChunkStore, keptMs } from "#src/features/live-output/ChunkStore.ts"
import * as SqliteChunkStore from "#src/features/live-output/SqliteChunkStore.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { chunkStoreContract } from "#test/support/src/features/live-output/ChunkStoreContract.ts"

chunkStoreContract(
  "SQLite",
  TempDirectory.provide((directory) => SqliteChunkStore.layerAt(path.join(directory, "output.sqlite")))
)

const id = RequestId.make("rq0000000000000000001")
const other = RequestId.make("rq0000000000000000002")
const batch = { requestId: id, run: "1-aaaaaa", first: 1, texts: ["1"], isComplete: false }

/** A new store on the file, as after a restart. */
const on = <A, E>(filename: string, use: (store: ChunkStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.scoped(
    Effect.provide(Effect.flatMap(ChunkStore, use), Layer.fresh(SqliteChunkStore.layerAt(filename)))
  )

describe("the file of chunks", () => {
  it.effect("is made with the first chunk, and still there after a restart", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* TempDirectory.make, "output.sqlite")
      yield* on(filename, (store) => store.read(id, null))
      assert.isFalse(fs.existsSync(filename))
      yield* on(filename, (store) => store.write([batch]))
      const found = yield* on(filename, (store) => store.read(id, null))
      assert.deepStrictEqual(found?.texts, ["1"])
    })
  )

  it.effect("is replaced when it cannot be read", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* TempDirectory.make, "output.sqlite")
      fs.writeFileSync(filename, "no database".repeat(1_000))
      yield* on(filename, (store) => store.write([batch]))
      const found = yield* on(filename, (store) => store.read(id, null))
      assert.deepStrictEqual(found?.texts, ["1"])
    })
  )

  it.effect("loses its oldest chunks when it is too large, and becomes smaller", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* TempDirectory.make, "output.sqlite")
      const most = 4 * 1024 * 1024
      yield* on(filename, (store) =>
        Effect.gen(function* () {
          const texts = [JSON.stringify("x".repeat(64 * 1024))]
          for (let first = 1; first <= 200; first++) yield* store.write([{ ...batch, first, texts }])
          const last = { ...batch, requestId: other, texts: ["2"] }
          yield* store.write([last])
          yield* TestClock.adjust("20 seconds")
          assert.isNotNull(yield* store.read(other, null))
        })
      ).pipe(Effect.provideService(SqliteChunkStore.MostBytes, most))
      assert.isAtMost(fs.statSync(filename).size, most)
    })
  )

  it.effect("loses chunks when they are old", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* TempDirectory.make, "output.sqlite")
      yield* on(filename, (store) =>
        Effect.gen(function* () {
          yield* store.write(Array.from({ length: 120 }, (_, index) => ({ ...batch, first: index + 1 })))
          yield* TestClock.adjust(keptMs - 60_000)
          assert.isNotNull(yield* store.read(id, null))
          yield* TestClock.adjust(2 * 60_000)
          assert.isNull(yield* store.read(id, null))
        })
      )
    })
  )
})
