import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { FileId } from "#domain/Ids.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call, issuesOf } from "#test/support/src/edges/http/Calls.ts"
import * as Deliveries from "#test/support/src/edges/http/Deliveries.ts"
import * as FileCalls from "#test/support/src/edges/http/FileCalls.ts"

/** A separate account. */
const account = Effect.fnUntraced(function* (name: string) {
  const headers = { authorization: yield* TestServer.openAccount(name) }
  return {
    headers,
    list: (query = "") => Effect.map(call({ path: `/files${query}`, headers }), ({ json }) => Object(json)),
    upload: (bytes: string, body = FileCalls.cat) => FileCalls.uploaded(bytes, { body, headers })
  }
})

const idsOf = ({ data }: { readonly data: ReadonlyArray<{ readonly id: string }> }) =>
  data.map(({ id }) => id)

/** An output of a request of the first account. */
const output = Effect.fnUntraced(function* (contentType = "image/webp") {
  const requestId = yield* accepted()
  const { id } = yield* (yield* MediaStore).put({
    id: MediaUrl.makeId(),
    maker: { accountId: Deliveries.accountOf("alpha"), requestId, submittedAt: Date.now() },
    kind: "output",
    fileName: "out.webp",
    contentType,
    body: Buffer.from("out")
  })
  return { id, requestId }
})

layer(TestServer.layer(), { excludeTestServices: true })("the list of files", (it) => {
  it.effect("is empty at first", () =>
    Effect.gen(function* () {
      const { list } = yield* account("empty")
      assert.deepStrictEqual(yield* list(), {
        page: 1,
        limit: 20,
        total: 0,
        totalPages: 0,
        data: [],
        next: null
      })
    })
  )

  it.effect("has a size in all, with what may still arrive, and a quota if there is one", () =>
    Effect.gen(function* () {
      const { headers, upload } = yield* account("storing")
      const storage = Effect.map(call({ path: "/files/storage", headers }), ({ json }) => json)
      assert.deepStrictEqual(yield* storage, { usedBytes: 0, maxBytes: null })
      yield* upload("purr")
      assert.deepStrictEqual(yield* storage, { usedBytes: 4, maxBytes: null })
      yield* Effect.flatMap(Accounts, (accounts) =>
        accounts.changeLimits({
          accountId: Deliveries.accountOf("storing"),
          limits: { maxStoredBytes: 1_000 }
        })
      )
      assert.deepStrictEqual(yield* storage, { usedBytes: 4, maxBytes: 1_000 })
    })
  )

  it.effect("has pending and uploaded files", () =>
    Effect.gen(function* () {
      const { headers, list } = yield* account("awaited")
      const { file_url, upload_url } = yield* FileCalls.initiate(FileCalls.cat, headers)
      const pending = {
        id: FileCalls.idOf(file_url),
        fileName: "cat.png",
        url: file_url,
        contentType: "image/png",
        size: null,
        status: "pending",
        source: "upload",
        requestId: null,
        checksums: { sha256: null },
        uploadedAt: null
      }
      const { createdAt, expiresAt, ...before } = (yield* list()).data[0]
      assert.deepStrictEqual(before, pending)
      assert.isBelow(Date.parse(createdAt), Date.parse(expiresAt))
      yield* FileCalls.put(upload_url, "purr")
      const [file] = (yield* list()).data
      assert.deepInclude(file, {
        id: pending.id,
        size: 4,
        status: "uploaded",
        checksums: { sha256: FileCalls.sha256("purr") },
        createdAt
      })
      assert.isAtLeast(Date.parse(file.uploadedAt), Date.parse(createdAt))
      const alone = yield* call({ path: `/files/${pending.id}`, headers })
      assert.deepStrictEqual(alone.json, file)
    })
  )

  it.effect("has outputs, and is filtered by source, content type and request", () =>
    Effect.gen(function* () {
      const list = (query: string) =>
        Effect.map(call({ path: `/files${query}` }), ({ json }) => idsOf(Object(json)))
      const { id: uploaded } = yield* FileCalls.uploaded("a")
      const { id, requestId } = yield* output()
      assert.deepStrictEqual(yield* list("?source=output"), [id])
      assert.deepStrictEqual(yield* list("?source=upload"), [uploaded])
      assert.deepStrictEqual(yield* list(`?requestId=${requestId}`), [id])
      assert.deepStrictEqual(yield* list("?contentType=image/webp"), [id])
      assert.deepStrictEqual(yield* list("?contentType=image/*"), [id, uploaded])
      assert.deepStrictEqual(yield* list("?contentType=Image/WebP;%20q=1"), [id])
      assert.deepStrictEqual(yield* list("?contentType=text/plain"), [])
      assert.deepStrictEqual(yield* list("?contentType=image/webp&source=upload"), [])
      const { otherKey: authorization } = yield* TestServer.TestServer
      const foreign = yield* call({ path: `/files?requestId=${requestId}`, headers: { authorization } })
      assertEnvelope(foreign, 403)
      const none = yield* call({ path: "/files", headers: { authorization } })
      assert.deepInclude(none.json, { total: 0, data: [] })
    })
  )

  it.effect("is paginated, newest first, and continues by its cursor while files arrive", () =>
    Effect.gen(function* () {
      const { list, upload } = yield* account("paged")
      const ids = yield* Effect.forEach(["a", "b", "c", "d", "e"], (bytes) => upload(bytes))
      const newest = ids.map(({ id }) => id).toReversed()
      const first = yield* list("?limit=2")
      assert.deepInclude(first, { page: 1, limit: 2, total: 5, totalPages: 3 })
      assert.deepStrictEqual(idsOf(yield* list("?limit=2&page=3")), newest.slice(4))
      yield* upload("later")
      const second = yield* list(`?limit=2&cursor=${first.next}`)
      const third = yield* list(`?limit=2&cursor=${second.next}`)
      assert.deepStrictEqual([first, second, third].flatMap(idsOf), newest)
      assert.isNull(third.next)
    })
  )

  it.effect.each<readonly [string, string, string]>([
    ["?page=0", "page", "range"],
    ["?limit=101", "limit", "range"],
    ["?cursor=x", "cursor", "cursor"],
    ["?source=x", "source", "enum"],
    ["?contentType=x", "contentType", "pattern"],
    ["?requestId=x", "requestId", "pattern"],
    ["?source=upload&source=output", "source", "repeated"]
  ])("rejects %s", ([query, path, code]) =>
    Effect.gen(function* () {
      const reply = yield* call({ path: `/files${query}` })
      assertEnvelope(reply, 400)
      assert.deepStrictEqual(issuesOf(reply), [[path, code]])
    })
  )
})

layer(TestServer.layer(), { excludeTestServices: true })("a file", (it) => {
  it.effect("is deleted for good, by its owner only", () =>
    Effect.gen(function* () {
      const { headers, list, upload } = yield* account("deleting")
      const { id, url } = yield* upload("secret")
      const path = `/files/${id}`
      assertEnvelope(yield* call({ method: "DELETE", path }), 403)
      assert.strictEqual((yield* FileCalls.get(url)).text, "secret")
      for (const _ of ["first", "again"]) {
        const reply = yield* call({ method: "DELETE", path, headers })
        assert.deepStrictEqual([reply.status, reply.text], [204, ""])
      }
      const gone = [yield* FileCalls.get(url), yield* call({ path, headers })]
      for (const reply of gone) {
        assertEnvelope(reply, 410)
        assert.deepInclude(reply.json, { details: { code: "FILE_GONE" } })
      }
      assert.strictEqual((yield* list()).total, 0)
      assertEnvelope(yield* call({ path }), 403)
    })
  )

  it.effect("that is pending is deleted too", () =>
    Effect.gen(function* () {
      const { file_url } = yield* FileCalls.initiate()
      const path = `/files/${FileCalls.idOf(file_url)}`
      assert.strictEqual((yield* call({ method: "DELETE", path })).status, 204)
      assertEnvelope(yield* FileCalls.get(file_url), 410)
    })
  )

  it.effect.each(["short", FileId.make("x".repeat(24)), "..%2f..%2fetc%2fpasswd"])(
    "that is unknown is 404: %s",
    (id) =>
      Effect.gen(function* () {
        for (const method of ["GET", "DELETE"]) {
          const reply = yield* call({ method, path: `/files/${id}` })
          assertEnvelope(reply, 404)
          assert.deepInclude(reply.json, { error: "File not found." })
        }
      })
  )
})
