/** What every store of chunks must do. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { RequestId } from "#domain/Ids.ts"
import { type Batch, ChunkStore, type Page, pageBytes } from "#src/features/live-output/ChunkStore.ts"

let ids = 0
const newId = () => RequestId.make(`rq${String(++ids).padStart(19, "0")}`)

const batch = (
  requestId: RequestId,
  first: number,
  texts: ReadonlyArray<string>,
  { isComplete = false, run = "1-aaaaaa" }: { readonly isComplete?: boolean; readonly run?: string } = {}
): Batch => ({ requestId, run, first, texts, isComplete })

/** What a page has beside its place in the store. */
const shown = (page: Page | null) => {
  if (page === null) return null
  const { cursor: _cursor, ...rest } = page
  return rest
}

export const chunkStoreContract = <E>(name: string, layer: Layer.Layer<ChunkStore, E>) =>
  describe(`the store of chunks: ${name}`, () => {
    it.layer(layer)((it) => {
      it.effect("reads what was written, from any place", () =>
        Effect.gen(function* () {
          const store = yield* ChunkStore
          const id = newId()
          assert.isNull(yield* store.read(id, null))
          yield* store.write([batch(id, 1, ['"a"', '"b"']), batch(id, 3, ['"\\n"', '"d"'])])
          const all = { run: "1-aaaaaa", first: 1, texts: ['"a"', '"b"', '"\\n"', '"d"'], isComplete: false }
          assert.deepStrictEqual(shown(yield* store.read(id, null)), all)
          const rest = yield* store.read(id, { run: "1-aaaaaa", index: 3 })
          assert.deepStrictEqual(shown(rest), { ...all, first: 4, texts: ['"d"'] })
          assert.isNull(yield* store.read(id, { run: "1-aaaaaa", index: 4 }))
          assert.deepStrictEqual(shown(yield* store.read(id, { run: "0-zzzzzz", index: 3 })), all)
          assert.isNull(yield* store.read(newId(), null))
        })
      )

      it.effect("says when a run is complete, also without further chunks", () =>
        Effect.gen(function* () {
          const store = yield* ChunkStore
          const id = newId()
          yield* store.write([batch(id, 1, ["1"]), batch(id, 2, [], { isComplete: true })])
          const whole = yield* store.read(id, null)
          assert.deepStrictEqual(shown(whole), { run: "1-aaaaaa", first: 1, texts: ["1"], isComplete: true })
          const end = yield* store.read(id, { run: "1-aaaaaa", index: 1 })
          assert.deepStrictEqual(shown(end), { run: "1-aaaaaa", first: 2, texts: [], isComplete: true })
        })
      )

      it.effect("reads the newest run only", () =>
        Effect.gen(function* () {
          const store = yield* ChunkStore
          const id = newId()
          yield* store.write([batch(id, 1, ["1", "2"], { isComplete: true })])
          yield* store.write([batch(id, 1, ["3"], { run: "2-bbbbbb" })])
          const newest = { run: "2-bbbbbb", first: 1, texts: ["3"], isComplete: false }
          assert.deepStrictEqual(shown(yield* store.read(id, null)), newest)
          assert.deepStrictEqual(shown(yield* store.read(id, { run: "1-aaaaaa", index: 2 })), newest)
        })
      )

      it.effect("reads no more chunks of earlier runs after a run without chunks", () =>
        Effect.gen(function* () {
          const store = yield* ChunkStore
          const id = newId()
          yield* store.write([batch(id, 1, ["1", "2"], { isComplete: true })])
          const place = { run: "1-aaaaaa", index: 1, cursor: (yield* store.read(id, null))?.cursor }
          yield* store.write([batch(id, 1, [], { run: "2-bbbbbb" })])
          const newest = { run: "2-bbbbbb", first: 1, texts: [], isComplete: false }
          assert.deepStrictEqual(shown(yield* store.read(id, place)), newest)
          assert.isNull(yield* store.read(id, { run: "2-bbbbbb", index: 0 }))
        })
      )

      it.effect("does not skip a gap", () =>
        Effect.gen(function* () {
          const store = yield* ChunkStore
          const id = newId()
          yield* store.write([batch(id, 1, ["1"]), batch(id, 3, ["3"], { isComplete: true })])
          const found = yield* store.read(id, null)
          assert.deepStrictEqual(shown(found), { run: "1-aaaaaa", first: 1, texts: ["1"], isComplete: false })
          assert.isNull(yield* store.read(id, { run: "1-aaaaaa", index: 1 }))
        })
      )

      it.effect("reads a long output in pages", () =>
        Effect.gen(function* () {
          const store = yield* ChunkStore
          const id = newId()
          const text = JSON.stringify("x".repeat(60_000))
          const count = 12
          yield* store.write(
            Array.from({ length: count }, (_, index) =>
              batch(id, index + 1, [text], { isComplete: index === count - 1 })
            )
          )
          let index = 0
          let cursor: number | undefined
          let pages = 0
          let isComplete = false
          while (!isComplete) {
            const page = yield* store.read(id, { run: "1-aaaaaa", index, cursor })
            assert.strictEqual(page?.first, index + 1)
            assert.isAtMost((page?.texts.length ?? 0) * text.length, pageBytes + text.length)
            index += page?.texts.length ?? 0
            cursor = page?.cursor
            isComplete = page?.isComplete ?? true
            pages++
          }
          assert.strictEqual(index, count)
          // What comes before the cursor is not looked at again.
          assert.isNull(yield* store.read(id, { run: "1-aaaaaa", index: 0, cursor }))
          assert.isAbove(pages, 1)
        })
      )

      it.effect("removes a request, and no other", () =>
        Effect.gen(function* () {
          const store = yield* ChunkStore
          const [id, other] = [newId(), newId()]
          const many = Array.from({ length: 120 }, (_, index) => batch(id, index + 1, ["1"]))
          yield* store.write([...many, batch(other, 1, ["2"])])
          yield* store.remove(id)
          assert.isNull(yield* store.read(id, null))
          assert.isNotNull(yield* store.read(other, null))
        })
      )
    })
  })
