import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { FileItem } from "#projections/files/FileItem.ts"
import type { Filter, PageKey } from "#projections/files/FileFilter.ts"
import { Files } from "#projections/files/Files.ts"
import * as Story from "#test/support/domain/file/Story.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import { alice, bob, requestId, t0 } from "#test/support/projections/RequestLog.ts"
import * as Log from "#test/support/projections/files/FileLog.ts"

const test = (name: string, body: Effect.Effect<void, unknown, ReadSide.Services>) =>
  it.live(name, () => Effect.provide(body, ReadSide.layer))

const list = Effect.fnUntraced(function* (
  filter: Partial<Filter> = {},
  { page = 1, after = null, limit = 100 }: { page?: number; after?: PageKey | null; limit?: number } = {}
) {
  return yield* (yield* Files).list({ accountId: alice, page, after, limit, ...filter })
})

const settle = ReadSide.settle("files")

const types = ["image/png", "Image/PNG; name=x", "image/webp", "text/plain", "video/mp4", "blob"] as const

/** 24 files of Alice, two per ms, of every type and source, with thumbnails and some that are gone; one file of Bob. */
const many = Effect.gen(function* () {
  for (let number = 1; number <= 24; number++) {
    const at = t0 + (number >> 1)
    const [contentType = "blob"] = types.slice(number % types.length)
    if (number % 3 === 0) {
      yield* Log.perform(number, Log.keep({ at, contentType, requestId: requestId(number % 2) }))
      const thumbnail = { at, contentType: "image/webp", requestId: requestId(number % 2) }
      yield* Log.perform(100 + number, Log.keep({ ...thumbnail, kind: "thumbnail" }))
    } else yield* Log.perform(number, Log.initiate({ at, contentType, size: null }))
    if (number % 3 === 1) yield* Log.perform(number, Log.complete(number, at))
  }
  yield* Log.perform(30, Log.initiate({ accountId: bob }), Log.complete(5))
  yield* Log.perform(31, Log.initiate(), Log.complete(5), Log.remove())
  yield* Log.perform(32, Log.keep(), Log.remove("request_erased"))
  yield* Log.perform(33, Log.keep(), Story.expire(Log.keptUntil))
  yield* settle
})

const descending = Array.from({ length: 24 }, (_, index) => 24 - index)

describe("Files", () => {
  test(
    "shows the state of an upload, and nothing once it is gone",
    Effect.gen(function* () {
      yield* Log.perform(1, Log.initiate({ contentType: "image/png;x=1", size: 40 }))
      yield* settle
      const pending: FileItem = {
        fileId: Log.fileId(1),
        accountId: alice,
        fileName: null,
        nameRef: Story.upload.payloads.name,
        contentType: "image/png;x=1",
        size: 40,
        status: "pending",
        source: "upload",
        purpose: "user_data",
        requestId: null,
        sha256: null,
        createdAt: t0,
        uploadedAt: null,
        expiresAt: Log.awaitedUntil
      }
      assert.deepStrictEqual(yield* list(), { total: 1, items: [pending], next: null })

      yield* Log.perform(1, Log.complete(41, t0 + 7))
      yield* settle
      const uploaded: FileItem = {
        ...pending,
        size: 41,
        status: "uploaded",
        sha256: "sha-41",
        uploadedAt: t0 + 7,
        expiresAt: Log.keptUntil
      }
      assert.deepStrictEqual(yield* list(), { total: 1, items: [uploaded], next: null })

      yield* Log.perform(1, Log.observe(50, t0 + 9))
      yield* settle
      const replaced = { ...uploaded, size: 50, sha256: null, uploadedAt: t0 + 9 }
      assert.deepStrictEqual((yield* list()).items, [replaced])

      yield* Log.perform(1, Log.remove())
      yield* settle
      assert.deepStrictEqual(yield* list(), { total: 0, items: [], next: null })
    })
  )

  test(
    "shows an output with its latest name and its request",
    Effect.gen(function* () {
      yield* Log.perform(1, Log.keep({ stored: Log.stored(9) }))
      yield* Log.perform(2, Log.keep({ kind: "thumbnail" }))
      yield* settle
      const output: FileItem = {
        fileId: Log.fileId(1),
        accountId: alice,
        fileName: "image-1.png",
        nameRef: null,
        contentType: "image/png",
        size: 9,
        status: "uploaded",
        source: "output",
        purpose: "user_data",
        requestId: requestId(1),
        sha256: "sha-9",
        createdAt: t0,
        uploadedAt: t0,
        expiresAt: Log.keptUntil
      }
      assert.deepStrictEqual(yield* list(), { total: 1, items: [output], next: null })

      const again = { at: t0 + 3, contentType: "image/webp", fileName: "image-1.webp", expiresAt: t0 + 9_000 }
      yield* Log.perform(1, Log.keep({ ...again, stored: Log.stored(8) }))
      yield* settle
      const { at, ...others } = again
      const replaced: FileItem = {
        ...output,
        ...others,
        size: 8,
        sha256: "sha-8",
        createdAt: at,
        uploadedAt: at
      }
      assert.deepStrictEqual(yield* list(), { total: 1, items: [replaced], next: null })
      assert.strictEqual((yield* list({ contentType: "image/png" })).total, 0)
    })
  )

  test(
    "lists newest first, by page or by position, with any source and type",
    Effect.gen(function* () {
      yield* many
      for (const limit of [1, 5, 24]) {
        const paged: Array<number> = []
        const behind: Array<number> = []
        let after: PageKey | null = null
        for (let page = 1; behind.length < 24; page++) {
          const found = yield* list({}, { page, limit })
          assert.strictEqual(found.total, 24)
          paged.push(...Log.numbersOf(found.items))
          const { items }: { readonly items: ReadonlyArray<PageKey> } = yield* list({}, { after, limit })
          behind.push(...Log.numbersOf(items))
          after = items.at(-1) ?? null
        }
        assert.deepStrictEqual(paged, descending)
        assert.deepStrictEqual(behind, descending)
      }
      assert.deepStrictEqual(yield* list({}, { page: 25, limit: 1 }), { total: 24, items: [], next: null })
    })
  )

  test(
    "lists files of one purpose, and oldest first, by page or by position",
    Effect.gen(function* () {
      const purposes = [undefined, "batch", "user_data"] as const
      for (let number = 1; number <= 12; number++) {
        const purpose = purposes[number % purposes.length]
        const at = t0 + (number >> 1)
        yield* Log.perform(number, Log.initiate({ at, ...(purpose !== undefined && { purpose }) }))
      }
      yield* Log.perform(13, Log.keep({ at: t0 + 6 }))
      yield* settle
      const numbers = (filter: Partial<Filter>) =>
        Effect.map(list(filter), ({ items, total }) => {
          assert.strictEqual(total, items.length)
          return Log.numbersOf(items)
        })
      assert.deepStrictEqual(yield* numbers({ purpose: "batch" }), [10, 7, 4, 1])
      assert.deepStrictEqual(yield* numbers({ purpose: "batch", order: "asc" }), [1, 4, 7, 10])
      // Of uploads without a purpose, and of outputs.
      assert.deepStrictEqual(yield* numbers({ purpose: "user_data" }), [13, 12, 11, 9, 8, 6, 5, 3, 2])
      assert.deepStrictEqual(yield* numbers({ purpose: "user_data", source: "output" }), [13])
      assert.deepStrictEqual(yield* numbers({ purpose: "vision" }), [])
      assert.deepStrictEqual(yield* numbers({ purpose: "batch", contentType: "image/*" }), [10, 7, 4, 1])
      assert.deepStrictEqual(yield* numbers({ purpose: "batch", contentType: "text/plain" }), [])
      const order = "asc"
      const first = yield* list({ order }, { limit: 5 })
      assert.deepStrictEqual(Log.numbersOf(first.items), [1, 2, 3, 4, 5])
      const second = yield* list({ order }, { after: first.next, limit: 5 })
      assert.deepStrictEqual(Log.numbersOf(second.items), [6, 7, 8, 9, 10])
      assert.deepStrictEqual(
        Log.numbersOf((yield* list({ order }, { page: 3, limit: 5 })).items),
        [11, 12, 13]
      )
      yield* Log.perform(1, Log.remove())
      yield* settle
      assert.deepStrictEqual(yield* numbers({ purpose: "batch" }), [10, 7, 4])
    })
  )

  test(
    "a page after a position does not move when newer ones arrive or the position's item is removed",
    Effect.gen(function* () {
      yield* many
      const { items } = yield* list({}, { limit: 3 })
      assert.deepStrictEqual(Log.numbersOf(items), [24, 23, 22])
      yield* Log.perform(40, Log.initiate({ at: t0 + 30 }))
      yield* Log.perform(22, Log.remove())
      yield* settle
      const after = items.at(-1) ?? null
      assert.deepStrictEqual(Log.numbersOf((yield* list({}, { after, limit: 3 })).items), [21, 20, 19])
      // Page numbers count from the newest.
      assert.deepStrictEqual(Log.numbersOf((yield* list({}, { page: 2, limit: 3 })).items), [21, 20, 19])
      assert.deepStrictEqual(Log.numbersOf((yield* list({}, { limit: 3 })).items), [40, 24, 23])
    })
  )

  test(
    "filters by source, type and request in any combination, with the total of the filter",
    Effect.gen(function* () {
      yield* many
      const { items: all } = yield* list()
      const essenceOf = ({ contentType }: FileItem) => contentType.toLowerCase().replace(/;.*/, "")
      const isOf = (item: FileItem, type: string) =>
        type.endsWith("/*") ? essenceOf(item).startsWith(type.slice(0, -1)) : essenceOf(item) === type
      let met = 0
      for (const source of [undefined, "upload", "output"] as const) {
        for (const contentType of [
          undefined,
          "image/png",
          "text/plain",
          "blob",
          "image/*",
          "video/*",
          "ima/*",
          "/*"
        ]) {
          for (const request of [undefined, requestId(0), requestId(1), requestId(9)]) {
            const filter = {
              ...(source === undefined ? {} : { source }),
              ...(contentType === undefined ? {} : { contentType }),
              ...(request === undefined ? {} : { requestId: request })
            }
            const expected = all.filter(
              (item) =>
                (source ?? item.source) === item.source &&
                (contentType === undefined || isOf(item, contentType)) &&
                (request ?? item.requestId) === item.requestId
            )
            if (expected.length > 1) met++
            const found = yield* list(filter)
            assert.deepStrictEqual(
              found,
              { total: expected.length, items: expected, next: null },
              JSON.stringify(filter)
            )
            const second = yield* list(filter, { after: expected[0] ?? null, limit: 2 })
            assert.deepStrictEqual(second.items, expected.slice(1, 3), JSON.stringify(filter))
            assert.strictEqual(second.next === null, expected.length <= 3, JSON.stringify(filter))
            const third = yield* list(filter, { page: 3, limit: 1 })
            assert.deepStrictEqual(third.items, expected.slice(2, 3), JSON.stringify(filter))
          }
        }
      }
      assert.isAbove(met, 20)
    })
  )

  test(
    "shows an account only its own, by any filter",
    Effect.gen(function* () {
      yield* many
      assert.deepStrictEqual(Log.numbersOf((yield* list({ accountId: bob })).items), [30])
      assert.deepStrictEqual(yield* list({ accountId: bob, requestId: requestId(1) }), {
        total: 0,
        items: [],
        next: null
      })
    })
  )
})
