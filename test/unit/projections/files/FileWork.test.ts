/** The work on files, and the bytes that they occupy. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { FileId } from "#domain/Ids.ts"
import { Files, type Page } from "#projections/files/Files.ts"
import * as Story from "#test/support/domain/file/Story.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import { alice, bob, carol, t0 } from "#test/support/projections/RequestLog.ts"
import * as Log from "#test/support/projections/files/FileLog.ts"

const test = (name: string, body: Effect.Effect<void, unknown, ReadSide.Services>) =>
  it.live(name, () => Effect.provide(body, ReadSide.layer))

const settle = ReadSide.settle("files")

const numbers = <E, R>(ids: Effect.Effect<ReadonlyArray<FileId>, E, R>) =>
  Effect.map(ids, (found) => found.map(Number))

const all: Page = { after: null, limit: 100 }

/** Pages of two, each after the last item of the previous one. */
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
    "returns expired uploads, outputs and thumbnails exactly at their ms, in the order of ids",
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
      // Until the expiry time.
      yield* Log.perform(3, Story.expire(t0 + 40))
      yield* Log.perform(5, Log.remove())
      yield* settle
      assert.deepStrictEqual(yield* over(t0 + 40), [1, 2, 4])
    })
  )

  test(
    "returns removed files until their bytes are removed, except those that others remove",
    Effect.gen(function* () {
      const files = yield* Files
      yield* Log.perform(9, Log.initiate(), Log.remove())
      yield* Log.perform(8, Log.initiate(inParts), Log.complete(9), Log.remove("account_erased"))
      yield* Log.perform(7, Log.initiate(), Story.expire(Log.awaitedUntil))
      yield* Log.perform(6, Log.keep(), Story.expire(Log.keptUntil))
      yield* Log.perform(5, Log.keep({ kind: "thumbnail" }), Log.remove())
      yield* Log.perform(4, Log.keep(), Log.remove("request_erased"))
      yield* Log.perform(3, Log.keep(), Log.remove("discarded"))
      // Never existed.
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
    "returns uploads in one PUT announced in a time range, arrived or not, and no multipart ones",
    Effect.gen(function* () {
      const files = yield* Files
      for (const number of [9, 7, 5, 3, 1]) yield* Log.perform(number, Log.initiate({ at: t0 + number }))
      for (const number of [8, 2]) yield* Log.perform(number, Log.initiate({ ...inParts, at: t0 + 5 }))
      yield* Log.perform(4, Log.initiate({ ...inParts, at: t0 + 5 }), Log.complete(9, t0 + 6))
      yield* Log.perform(6, Log.keep({ at: t0 + 5 }))
      // Their own times do not change with their bytes.
      yield* Log.perform(3, Log.complete(9, t0 + 50))
      yield* Log.perform(5, Log.observe(9, t0 + 60), Log.observe(10, t0 + 70))
      yield* settle
      const singles = (announcedAfter: number, announcedBy: number, page = all) =>
        files.singles({ ...page, announcedAfter, announcedBy })
      assert.deepStrictEqual(yield* paged((page) => singles(t0, t0 + 9, page)), [1, 3, 5, 7, 9])
      assert.deepStrictEqual(yield* numbers(singles(t0 + 1, t0 + 9)), [3, 5, 7, 9])
      assert.deepStrictEqual(yield* numbers(singles(t0 + 2, t0 + 7)), [3, 5, 7])
      assert.deepStrictEqual(yield* numbers(singles(t0 + 3, t0 + 6)), [5])
      assert.deepStrictEqual(yield* numbers(singles(t0 + 9, t0 + 100)), [])
      yield* Log.perform(3, Log.remove())
      yield* Log.perform(7, Story.expire(Log.awaitedUntil))
      yield* settle
      assert.deepStrictEqual(yield* numbers(singles(t0, t0 + 9)), [1, 5, 9])
    })
  )

  test(
    "returns all current files of an account, in the order of ids",
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
    "counts an account's bytes: as declared, then as stored, until they are gone, without thumbnails",
    Effect.gen(function* () {
      const files = yield* Files
      const bytes = Effect.andThen(settle, files.bytesOf(alice, { singlesSince: t0 - 1 }))
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
      assert.strictEqual(yield* bytes, 1_089)
      yield* Log.perform(3, Log.keep({ stored: Log.stored(2_000) }))
      assert.strictEqual(yield* bytes, 2_089)
      // The files of others count for those.
      yield* Log.perform(5, Log.initiate({ accountId: bob, size: 3 }))
      yield* Log.perform(4, Log.remove("request_erased"))
      assert.strictEqual(yield* bytes, 2_089)
      yield* Log.perform(3, Story.expire(Log.keptUntil))
      yield* Log.perform(1, Log.remove())
      assert.strictEqual(yield* bytes, 9)
      yield* Log.perform(2, Log.remove("account_erased"), Story.recordRemoved(t0 + 20))
      assert.strictEqual(yield* bytes, 0)
      assert.strictEqual(yield* files.bytesOf(bob, { singlesSince: t0 - 1 }), 3)
    })
  )

  test(
    "counts a pending multipart upload until it is gone, and a pending PUT if it was announced after a time",
    Effect.gen(function* () {
      const files = yield* Files
      const bytes = (singlesSince: number) => files.bytesOf(alice, { singlesSince })
      yield* Log.perform(1, Log.initiate({ at: t0 + 1, size: 10 }))
      yield* Log.perform(2, Log.initiate({ at: t0 + 2, size: 200 }))
      yield* Log.perform(3, Log.initiate({ ...inParts, at: t0, size: 3_000 }))
      yield* settle
      assert.strictEqual(yield* bytes(t0), 3_210)
      assert.strictEqual(yield* bytes(t0 + 1), 3_200)
      assert.strictEqual(yield* bytes(t0 + 2), 3_000)
      // Arrived bytes count as long as they exist.
      yield* Log.perform(1, Log.complete(11))
      yield* settle
      assert.strictEqual(yield* bytes(t0 + 2), 3_011)
      yield* Log.perform(3, Story.expire(Log.awaitedUntil))
      yield* Log.perform(2, Log.remove())
      yield* settle
      assert.strictEqual(yield* bytes(t0), 11)
    })
  )

  test(
    "counts at most the largest exact number, whatever is declared",
    Effect.gen(function* () {
      const files = yield* Files
      for (const number of [1, 2]) {
        yield* Log.perform(number, Log.initiate({ ...inParts, size: Number.MAX_SAFE_INTEGER }))
        yield* settle
        assert.strictEqual(yield* files.bytesOf(alice, { singlesSince: t0 }), Number.MAX_SAFE_INTEGER)
      }
    })
  )
})
