/** What is to be done about files, and what they take up. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { FileId } from "#domain/Ids.ts"
import { Files, type Page } from "#projections/files/Files.ts"
import * as Story from "#test/domain/file/Story.ts"
import * as ReadSide from "../ReadSide.ts"
import { alice, bob, carol, t0 } from "../RequestLog.ts"
import * as Log from "./FileLog.ts"

const test = (name: string, body: Effect.Effect<void, unknown, ReadSide.Services>) =>
  it.live(name, () => Effect.provide(body, ReadSide.layer))

const settle = ReadSide.settle("files")

const numbers = <E, R>(ids: Effect.Effect<ReadonlyArray<FileId>, E, R>) =>
  Effect.map(ids, (found) => found.map(Number))

const all: Page = { after: null, limit: 100 }

/** Page by page, two at a time, behind the last of each. */
const paged = Effect.fnUntraced(function* <E, R>(
  next: (page: Page) => Effect.Effect<ReadonlyArray<FileId>, E, R>
) {
  const found: Array<number> = []
  let after: FileId | null = null
  do {
    const ids: ReadonlyArray<FileId> = yield* next({ after, limit: 2 })
    assert.isAtMost(ids.length, 2)
    found.push(...ids.map(Number))
    after = ids.at(-1) ?? null
  } while (after !== null)
  return found
})

const inParts = { method: Story.uploadInParts.method }

describe("Files", () => {
  test(
    "gives what is over exactly at its ms, of uploads, outputs and thumbnails, in the order of ids",
    Effect.gen(function* () {
      const files = yield* Files
      yield* Log.perform(5, Log.initiate({ expiresAt: t0 + 10 }))
      yield* Log.perform(4, Log.initiate(), Log.complete(9, t0, t0 + 30))
      yield* Log.perform(3, Log.keep({ expiresAt: t0 + 20 }))
      yield* Log.perform(2, Log.keep({ expiresAt: t0 + 20, kind: "thumbnail", accountId: bob }))
      yield* Log.perform(1, Log.initiate({ ...inParts, expiresAt: t0 + 40 }))
      yield* settle
      const over = (now: number) => numbers(files.expired({ ...all, now }))
      assert.deepStrictEqual(yield* over(t0 + 9), [])
      assert.deepStrictEqual(yield* over(t0 + 10), [5])
      assert.deepStrictEqual(yield* over(t0 + 20), [2, 3, 5])
      assert.deepStrictEqual(yield* over(t0 + 30), [2, 3, 4, 5])
      assert.deepStrictEqual(
        yield* paged((page) => files.expired({ ...page, now: t0 + 40 })),
        [1, 2, 3, 4, 5]
      )
      // Until it is told, and no longer.
      yield* Log.perform(3, Story.expire(t0 + 40))
      yield* Log.perform(5, Log.remove())
      yield* settle
      assert.deepStrictEqual(yield* over(t0 + 40), [1, 2, 4])
    })
  )

  test(
    "gives what is gone until its bytes are removed, but for what others remove",
    Effect.gen(function* () {
      const files = yield* Files
      yield* Log.perform(9, Log.initiate(), Log.remove())
      yield* Log.perform(8, Log.initiate(inParts), Log.complete(9), Log.remove("account_erased"))
      yield* Log.perform(7, Log.initiate(), Story.expire(Log.awaitedUntil))
      yield* Log.perform(6, Log.keep(), Story.expire(Log.keptUntil))
      yield* Log.perform(5, Log.keep({ kind: "thumbnail" }), Log.remove())
      yield* Log.perform(4, Log.keep(), Log.remove("request_erased"))
      yield* Log.perform(3, Log.keep(), Log.remove("discarded"))
      // Never there.
      yield* Log.perform(2, Log.remove("discarded"))
      yield* Log.perform(1, Log.remove("account_erased"))
      yield* Log.perform(0, Log.initiate(), Log.complete(9))
      yield* settle
      assert.deepStrictEqual(yield* paged(files.removals), [5, 6, 7, 8, 9])
      for (const number of [1, 4, 5, 7]) yield* Log.perform(number, Story.recordRemoved(t0 + 6_000))
      yield* settle
      assert.deepStrictEqual(yield* numbers(files.removals(all)), [6, 8, 9])
    })
  )

  test(
    "gives uploads in one PUT that are awaited, and none in parts",
    Effect.gen(function* () {
      const files = yield* Files
      for (const number of [5, 3, 1]) yield* Log.perform(number, Log.initiate())
      for (const number of [4, 2]) yield* Log.perform(number, Log.initiate(inParts))
      yield* Log.perform(6, Log.keep())
      yield* settle
      const awaited = (page: Page) => files.awaited({ ...page, createdAfter: t0 - 1 })
      assert.deepStrictEqual(yield* paged(awaited), [1, 3, 5])
      assert.deepStrictEqual(yield* numbers(files.awaited({ ...all, createdAfter: t0 })), [])
      yield* Log.perform(1, Log.observe(9))
      yield* Log.perform(3, Log.remove())
      yield* settle
      assert.deepStrictEqual(yield* numbers(awaited(all)), [5])
    })
  )

  test(
    "gives all files of an account that are not gone, in the order of ids",
    Effect.gen(function* () {
      const files = yield* Files
      yield* Log.perform(6, Log.initiate())
      yield* Log.perform(5, Log.initiate(inParts), Log.complete(9))
      yield* Log.perform(4, Log.keep({ kind: "thumbnail" }))
      yield* Log.perform(3, Log.keep())
      yield* Log.perform(2, Log.keep(), Log.remove("account_erased"))
      yield* Log.perform(1, Log.keep({ accountId: bob }))
      yield* settle
      assert.deepStrictEqual(
        yield* paged((page) => files.ofAccount({ ...page, accountId: alice })),
        [3, 4, 5, 6]
      )
      assert.deepStrictEqual(yield* numbers(files.ofAccount({ ...all, accountId: bob })), [1])
      assert.deepStrictEqual(yield* numbers(files.ofAccount({ ...all, accountId: carol })), [])
    })
  )

  test(
    "counts the bytes of an account: as declared, then as they are, until they are gone",
    Effect.gen(function* () {
      const files = yield* Files
      const bytes = Effect.andThen(settle, files.bytesOf(alice))
      assert.strictEqual(yield* bytes, 0)
      yield* Log.perform(1, Log.initiate({ size: 100 }))
      yield* Log.perform(2, Log.initiate({ size: null }))
      assert.strictEqual(yield* bytes, 100)
      yield* Log.perform(1, Log.complete(80))
      yield* Log.perform(2, Log.complete(7))
      assert.strictEqual(yield* bytes, 87)
      yield* Log.perform(2, Log.observe(9))
      assert.strictEqual(yield* bytes, 89)
      yield* Log.perform(3, Log.keep({ stored: Log.stored(1_000) }))
      yield* Log.perform(4, Log.keep({ stored: Log.stored(500), kind: "thumbnail" }))
      assert.strictEqual(yield* bytes, 1_589)
      yield* Log.perform(3, Log.keep({ stored: Log.stored(2_000) }))
      assert.strictEqual(yield* bytes, 2_589)
      // Those of others count for them.
      yield* Log.perform(5, Log.initiate({ accountId: bob, size: 3 }))
      yield* Log.perform(4, Log.remove("request_erased"))
      assert.strictEqual(yield* bytes, 2_089)
      yield* Log.perform(3, Story.expire(Log.keptUntil))
      yield* Log.perform(1, Log.remove())
      assert.strictEqual(yield* bytes, 9)
      yield* Log.perform(2, Log.remove("account_erased"), Story.recordRemoved(t0 + 20))
      assert.strictEqual(yield* bytes, 0)
      assert.strictEqual(yield* files.bytesOf(bob), 3)
    })
  )
})
