/** Lists of `/v1/files` with files that clients cannot make. `test/system` has OpenAI's client. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, call } from "#test/support/src/edges/http/Calls.ts"
import * as Deliveries from "#test/support/src/edges/http/Deliveries.ts"
import * as FileCalls from "#test/support/src/edges/http/FileCalls.ts"

/** The ids of a page, without their prefix, and whether others follow. */
const list = Effect.fnUntraced(function* (query = "", headers?: Readonly<Record<string, string>>) {
  const { json, status, text } = yield* call({
    path: `/v1/files${query}`,
    ...(headers !== undefined && { headers })
  })
  assert.strictEqual(status, 200, text)
  const { data, has_more } = Object(json) as {
    readonly data: ReadonlyArray<{ readonly id: string }>
    readonly has_more: boolean
  }
  return { ids: data.map(({ id }) => id.slice("file-".length)), has_more }
})

/** An output that has expired and that no sweep has found. */
const expired = Effect.gen(function* () {
  const { id } = yield* (yield* MediaStore).put({
    id: MediaUrl.makeId(),
    maker: { accountId: Deliveries.accountOf("alpha"), requestId: yield* accepted(), submittedAt: 0 },
    kind: "output",
    fileName: "out.webp",
    contentType: "image/webp",
    body: Buffer.from("out")
  })
  return id
})

layer(TestServer.layer(), { excludeTestServices: true })("the list of /v1/files", (it) => {
  it.effect("passes over pages of expired files, where clients would stop", () =>
    Effect.gen(function* () {
      const first = yield* expired
      const { id } = yield* FileCalls.uploaded("a")
      yield* expired
      const { id: last } = yield* FileCalls.uploaded("b")
      assert.deepStrictEqual(yield* list("?order=asc&limit=1"), { ids: [id], has_more: true })
      assert.deepStrictEqual(yield* list(`?order=asc&limit=1&after=file-${id}`), {
        ids: [last],
        has_more: false
      })
      assert.deepStrictEqual((yield* list(`?order=asc&after=file-${first}`)).ids, [id, last])
      assert.deepStrictEqual(yield* list(`?limit=1&after=file-${id}`), { ids: [], has_more: false })
    })
  )

  it.effect("goes on after no file of another account", () =>
    Effect.gen(function* () {
      const { id } = yield* FileCalls.uploaded("a")
      const headers = { authorization: yield* TestServer.openAccount("another") }
      const { json, status } = yield* call({ path: `/v1/files?after=file-${id}`, headers })
      assert.strictEqual(status, 403)
      assert.hasAllKeys(Object(json).error, ["message", "type", "param", "code"])
      assert.deepStrictEqual(yield* list("", headers), { ids: [], has_more: false })
    })
  )

  it.effect("has as many files on a page as asked for", () =>
    Effect.gen(function* () {
      const headers = { authorization: yield* TestServer.openAccount("many") }
      const initiate = FileCalls.initiate(FileCalls.cat, headers)
      yield* Effect.forEach(Array(120), () => initiate, { concurrency: 8 })
      for (const [query, length] of [
        ["?limit=101", 101],
        ["?limit=10000", 120],
        ["", 120]
      ] as const) {
        const { has_more, ids } = yield* list(query, headers)
        assert.deepStrictEqual([ids.length, has_more], [length, length < 120])
      }
    })
  )
})
