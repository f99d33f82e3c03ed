import { assert, layer } from "@effect/vitest"
import { Array, Effect } from "effect"
import { KeyId } from "#domain/Ids.ts"
import { Webhooks } from "#src/features/webhooks/Webhooks.ts"
import * as Callers from "#test/support/Callers.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call, issuesOf } from "#test/support/src/edges/http/Calls.ts"
import * as Deliveries from "#test/support/src/edges/http/Deliveries.ts"

/** A separate account. */
const account = Effect.fnUntraced(function* (name: string) {
  const headers = { authorization: yield* TestServer.openAccount(name) }
  return {
    list: (query = "") => Effect.map(Deliveries.list(query, headers), ({ json }) => Object(json)),
    add: (at: number, make = Deliveries.pending, owed: Deliveries.Owed = {}) =>
      make({ ...owed, account: name, at: Deliveries.start + at })
  }
})

const idsOf = ({ data }: { readonly data: ReadonlyArray<{ readonly id: string }> }) =>
  data.map(({ id }) => id)

layer(TestServer.layer(), { excludeTestServices: true })("the list of deliveries", (it) => {
  it.effect("is empty at first", () =>
    Effect.gen(function* () {
      const { list } = yield* account("empty")
      const nothing = { page: 1, limit: 10, total: 0, totalPages: 0, data: [], next: null }
      assert.deepStrictEqual(yield* list(), nothing)
      assert.deepStrictEqual(yield* list("?page=3"), { ...nothing, page: 3 })
    })
  )

  it.effect("shows everything recorded before the call, newest first, with the fields of a delivery", () =>
    Effect.gen(function* () {
      const { add, list } = yield* account("shown")
      const makes = [Deliveries.waiting, Deliveries.failed, Deliveries.delivering, Deliveries.delivered]
      const ids = yield* Effect.forEach(makes, (make, index) => add(index * 1_000, make))
      const page = yield* list()
      assert.deepStrictEqual(idsOf(page), ids.toReversed())
      assert.deepInclude(page, { page: 1, limit: 10, total: 4, totalPages: 1, next: null })
      assert.deepStrictEqual(
        page.data.map(({ status }: { status: string }) => status),
        ["delivered", "delivering", "failed", "pending"]
      )
    })
  )

  it.effect("includes everything recorded before the call", () =>
    Effect.gen(function* () {
      // More than a batch of the read model. Not over HTTP, because the read model would catch up meanwhile.
      const owed = Array.makeBy(3_000, () => ({ account: "waited-for" }))
      const { list } = yield* Webhooks
      const caller = Callers.of(Deliveries.accountOf("waited-for"), KeyId.make("waited-for"))
      yield* Effect.forEach(owed, Deliveries.pending, { concurrency: "unbounded" })
      const { total } = yield* list({ caller, page: 1, after: null, limit: 10 })
      assert.strictEqual(total, owed.length)
    })
  )

  it.effect("has the same record as the delivery alone", () =>
    Effect.gen(function* () {
      const requestId = yield* accepted()
      const made = [Deliveries.waiting, Deliveries.delivered] as const
      const events = ["start", "completed"] as const
      for (const [index, make] of made.entries()) {
        const id = yield* make({ requestId, event: events[index] ?? "start" })
        const { attemptHistory: _, ...record } = Object((yield* Deliveries.get(id)).json)
        const { data } = Object((yield* Deliveries.list(`?requestId=${requestId}`)).json)
        assert.deepInclude(data, record)
      }
    })
  )

  it.effect("is filtered by status, event and request", () =>
    Effect.gen(function* () {
      const { list } = yield* account("filtered")
      const requestId = yield* accepted()
      const started = yield* Deliveries.delivered({ requestId, event: "start" })
      const completed = yield* Deliveries.failed({ requestId, at: Deliveries.start + 1 })
      const of = (query: string) =>
        Effect.map(Deliveries.list(`?requestId=${requestId}${query}`), ({ json }) => idsOf(Object(json)))
      assert.deepStrictEqual(yield* of(""), [completed, started])
      assert.deepStrictEqual(yield* of("&event=start"), [started])
      assert.deepStrictEqual(yield* of("&status=failed"), [completed])
      assert.deepStrictEqual(yield* of("&status=failed&event=start"), [])
      assert.strictEqual((yield* list()).total, 0)
    })
  )

  it.effect(
    "of an unknown request is empty; of another account's it is 403; of a malformed id it is 400",
    () =>
      Effect.gen(function* () {
        const requestId = yield* accepted()
        yield* Deliveries.pending({ requestId })
        const { otherKey: authorization } = yield* TestServer.TestServer
        const unknown = yield* Deliveries.list("?requestId=rq0000000000000000000")
        assert.deepInclude(unknown.json, { total: 0, data: [] })
        const forbidden = yield* Deliveries.list(`?requestId=${requestId}`, { authorization })
        assertEnvelope(forbidden, 403)
        const malformed = yield* Deliveries.list("?requestId=short")
        assertEnvelope(malformed, 400)
        assert.deepStrictEqual(issuesOf(malformed), [["requestId", "pattern"]])
      })
  )

  it.effect("is paginated", () =>
    Effect.gen(function* () {
      const { add, list } = yield* account("divided")
      const ids = (yield* Effect.forEach([1, 2, 3, 4, 5], (at) => add(at))).toReversed()
      const pages = yield* Effect.forEach([1, 2, 3, 4], (page) => list(`?page=${page}&limit=2`))
      assert.deepStrictEqual(pages.map(idsOf), [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4), []])
      for (const [index, page] of pages.entries()) {
        assert.deepInclude(page, { page: index + 1, limit: 2, total: 5, totalPages: 3 })
      }
      assert.deepStrictEqual(
        pages.map(({ next }) => next === null),
        [false, false, true, true]
      )
    })
  )

  it.effect("ends with a full page without a next cursor", () =>
    Effect.gen(function* () {
      const { add, list } = yield* account("full")
      yield* Effect.forEach([1, 2, 3, 4], (at) => add(at))
      const { next } = yield* list("?limit=2")
      assert.isNull((yield* list(`?limit=2&cursor=${next}`)).next)
    })
  )

  it.effect("continues by its cursor without drift while deliveries arrive", () =>
    Effect.gen(function* () {
      const { add, list } = yield* account("drifting")
      // Several in the same ms, ordered by their ids.
      const ids = yield* Effect.forEach([0, 1, 1, 1, 2, 3, 3, 4], (at) => add(at))
      const seen: Array<string> = []
      let page = yield* list("?limit=3")
      for (let number = 1; ; number++) {
        assert.strictEqual(page.page, number)
        seen.push(...idsOf(page))
        if (page.next === null) break
        yield* add(100 + number)
        yield* add(200 + number, Deliveries.failed)
        page = yield* list(`?limit=3&cursor=${page.next}`)
      }
      assert.lengthOf(seen, ids.length)
      assert.sameMembers(seen, ids)
    })
  )

  it.effect("never shows another account's deliveries, whatever the cursor", () =>
    Effect.gen(function* () {
      const mine = yield* account("mine")
      const theirs = yield* account("theirs")
      yield* Effect.forEach([1, 2, 3], (at) => mine.add(at))
      const { next } = yield* mine.list("?limit=1")
      assert.deepInclude(yield* theirs.list(`?cursor=${next}`), { total: 0, data: [], page: 2 })
    })
  )

  it.effect.each([
    ["?page=0", "page"],
    ["?page=", "page"],
    ["?page=1.5", "page"],
    ["?page=1e3", "page"],
    ["?page=99999999999999999999", "page"],
    ["?page=1&page=2", "page"],
    ["?page[]=1", "page[]"],
    ["?limit=0", "limit"],
    ["?limit=101", "limit"],
    ["?limit=NaN", "limit"],
    ["?limit=%00", "limit"],
    ["?status=done", "status"],
    ["?status=failed&status=failed", "status"],
    ["?event=finish", "event"],
    ["?event=%F0%9F%92%A9", "event"],
    ["?requestId=", "requestId"],
    ["?requestId=%27%20OR%201=1--", "requestId"],
    ["?cursor=", "cursor"],
    ["?cursor=bm90aGluZw", "cursor"],
    ["?cursor=%ff", "cursor"],
    ["?__proto__=1", "__proto__"],
    ["?toString", "toString"],
    ["?&&=&", undefined],
    [`?${"a".repeat(8_000)}`, "a".repeat(64)]
  ] as const)("%s is rejected at %s, if at all, without an echo", ([query, path]) =>
    Effect.gen(function* () {
      const reply = yield* Deliveries.list(query)
      if (path === undefined) return assert.strictEqual(reply.status, 200)
      assertEnvelope(reply, 400)
      assert.deepStrictEqual(
        issuesOf(reply).map(([at]) => at),
        [path]
      )
      for (const value of ["done", "finish", "NaN", "bm90", "OR 1"]) assert.notInclude(reply.text, value)
    })
  )

  it.effect("answers HEAD without a body, and must not be cached", () =>
    Effect.gen(function* () {
      const path = "/webhooks/deliveries"
      const head = yield* call({ method: "HEAD", path })
      const get = yield* call({ path })
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      assert.strictEqual(head.headers["content-length"], get.headers["content-length"])
      assert.strictEqual(get.headers["cache-control"], "no-store")
    })
  )

  it.effect("reports several faults at once", () =>
    Effect.gen(function* () {
      const reply = yield* Deliveries.list("?page=0&limit=0&status=x&requestId=y")
      assert.sameDeepMembers(
        [...issuesOf(reply)],
        [
          ["requestId", "pattern"],
          ["status", "enum"],
          ["page", "range"],
          ["limit", "range"]
        ]
      )
    })
  )
})
