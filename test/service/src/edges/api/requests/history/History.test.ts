import { assert, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { KeyId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { RequestHistory } from "#src/features/requests/RequestHistory.ts"
import * as Callers from "#test/support/Callers.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call, issuesOf } from "#test/support/src/edges/http/Calls.ts"
import * as Histories from "#test/support/src/edges/http/Histories.ts"
import * as GrantedKeys from "#test/support/src/edges/http/GrantedKeys.ts"
import { names, scenarios } from "#test/support/src/edges/http/Scenarios.ts"

const { account, idsOf } = Histories

/** A request of another model. */
const partial = { model: "sandbox/partial", input: { count: 2, deliver: 2 } }

layer(TestServer.layer(), { excludeTestServices: true })("the list of requests", (it) => {
  it.effect("is empty at first", () =>
    Effect.gen(function* () {
      const { list } = yield* account("empty")
      const nothing = { page: 1, limit: 20, total: 0, totalPages: 0, data: [], next: null }
      assert.deepStrictEqual(yield* list(), nothing)
      assert.deepStrictEqual(yield* list("?page=3&limit=5"), { ...nothing, page: 3, limit: 5 })
    })
  )

  it.effect.each(names.map((name) => [name] as const))(
    "shows a request that is %s as when retrieved, without its payloads",
    ([name]) =>
      Effect.gen(function* () {
        const id = yield* scenarios[name]
        const retrieved = Object((yield* call({ path: `/requests/${id}` })).json)
        const { data } = Object((yield* call({ path: "/requests?limit=1" })).json)
        assert.deepStrictEqual(data, [Struct.omit(retrieved, ["input", "output"])])
      })
  )

  it.effect("includes everything recorded before the call", () =>
    Effect.gen(function* () {
      // More than a batch of the read model. Not over HTTP, because the read model would catch up meanwhile.
      const numbers = Array.from({ length: 3_000 }, (_, index) => 1_000_000 + index)
      const accountId = GrantedKeys.accountOf("waited-for")
      const history = yield* RequestHistory
      yield* Effect.forEach(numbers, (number) => Log.append(number, Log.submitted(accountId, Log.echo)), {
        concurrency: "unbounded"
      })
      const caller = Callers.of(accountId, KeyId.make("waited-for"))
      const asked = { caller, page: 1, after: null, limit: 1, expand: new Set<never>() }
      assert.strictEqual((yield* history.list(asked)).total, numbers.length)
    }).pipe(Effect.scoped)
  )

  it.effect("is filtered by status, model and metadata", () =>
    Effect.gen(function* () {
      const { list, submit } = yield* account("filtered")
      const [first, second, third] = [
        yield* submit({ metadata: { team: "blue", order: "1" } }),
        yield* submit({ metadata: { team: "blue", order: "2", "a b": "c&d" }, ...partial }),
        yield* submit({ metadata: { team: "red" } })
      ]
      yield* Lifecycle.start(first)
      const of = (query: string) => Effect.map(list(query), (page) => [page.total, ...idsOf(page)])
      assert.deepStrictEqual(yield* of(""), [3, third, second, first])
      assert.deepStrictEqual(yield* of("?status=IN_PROGRESS"), [1, first])
      assert.deepStrictEqual(yield* of("?modelEndpoint=sandbox/partial"), [1, second])
      assert.deepStrictEqual(yield* of("?modelEndpoint=sandbox%2Fecho&status=IN_QUEUE"), [1, third])
      assert.deepStrictEqual(yield* of("?modelEndpoint=nobody/nothing"), [0])
      assert.deepStrictEqual(yield* of("?metadata.team=blue"), [2, second, first])
      assert.deepStrictEqual(yield* of("?metadata.team=blue&metadata.order=1"), [1, first])
      assert.deepStrictEqual(yield* of("?metadata.team=blue&status=IN_QUEUE"), [1, second])
      assert.deepStrictEqual(yield* of("?metadata.a%20b=c%26d&metadata.team=blue"), [1, second])
      assert.deepStrictEqual(yield* of("?metadata.team="), [0])
      assert.deepStrictEqual(yield* of("?metadata.__proto__=1"), [0])
    })
  )

  it.effect("covers a time between exclusive bounds", () =>
    Effect.gen(function* () {
      const { list, submit } = yield* account("timed")
      const submitNext = Effect.tap(submit(), () => Histories.nextMilli)
      const [a, b, c] = [yield* submitNext, yield* submitNext, yield* submitNext]
      const [third, second, first] = Histories.timesOf(yield* list())
      const of = (query: string) => Effect.map(list(query), (page) => [page.total, ...idsOf(page)])
      assert.deepStrictEqual(yield* of(`?createdAfter=${first}`), [2, c, b])
      assert.deepStrictEqual(yield* of(`?createdBefore=${third}`), [2, b, a])
      assert.deepStrictEqual(yield* of(`?createdAfter=${first}&createdBefore=${third}`), [1, b])
      assert.deepStrictEqual(yield* of(`?createdAfter=${third}&createdBefore=${first}`), [0])
      // An offset, its plus sign encoded or not.
      const offset = Histories.inOffset(String(second), "+05:30")
      assert.deepStrictEqual(yield* of(`?createdAfter=${encodeURIComponent(offset)}`), [1, c])
      assert.deepStrictEqual(yield* of(`?createdAfter=${offset}`), [1, c])
    })
  )

  it.effect("is paginated", () =>
    Effect.gen(function* () {
      const { list, submit } = yield* account("divided")
      const ids = (yield* Effect.forEach([1, 2, 3, 4, 5], () => submit())).toReversed()
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

  it.effect("continues by its cursor without drift while requests come and change", () =>
    Effect.gen(function* () {
      const { list, submit } = yield* account("drifting")
      const metadata = { batch: "7" }
      const ids = yield* Effect.forEach(Array.from({ length: 8 }), () => submit({ metadata }))
      const filters = ["", "metadata.batch=7&"]
      for (const filter of filters) {
        const seen: Array<string> = []
        let page = yield* list(`?${filter}limit=3`)
        for (let number = 1; ; number++) {
          assert.strictEqual(page.page, number)
          seen.push(...idsOf(page))
          if (page.next === null) break
          yield* submit({ metadata })
          const moved = ids[number]
          if (moved !== undefined && filter === "") yield* Lifecycle.start(moved)
          page = yield* list(`?${filter}limit=3&cursor=${page.next}`)
        }
        assert.includeMembers(seen, ids)
        assert.lengthOf(new Set(seen), seen.length)
      }
    })
  )

  it.effect("never shows another account's requests, whatever the cursor", () =>
    Effect.gen(function* () {
      const mine = yield* account("mine")
      const theirs = yield* account("theirs")
      yield* Effect.forEach([1, 2, 3], () => mine.submit({ metadata: { team: "blue" } }))
      const { next } = yield* mine.list("?limit=1")
      assert.deepInclude(yield* theirs.list(`?cursor=${next}`), { total: 0, data: [], page: 2 })
      assert.deepInclude(yield* theirs.list("?metadata.team=blue"), { total: 0, data: [] })
    })
  )

  it.effect("shows a key with granted models only their requests", () =>
    Effect.gen(function* () {
      const { list, submit } = yield* account("restricted")
      const echo = yield* submit()
      yield* submit(partial)
      assert.strictEqual((yield* list()).total, 2)
      const modelEndpoints = [ModelEndpoint.make("sandbox/echo")]
      const headers = yield* GrantedKeys.issue({ modelEndpoints }, "restricted")
      const of = (query: string) => call({ path: `/requests${query}`, headers })
      for (const query of ["", "?modelEndpoint=sandbox/echo", "?status=IN_QUEUE"]) {
        const { json } = yield* of(query)
        assert.deepInclude(json, { total: 1, totalPages: 1 })
        assert.deepStrictEqual(idsOf(Object(json)), [echo])
      }
      assertEnvelope(yield* of("?modelEndpoint=sandbox/partial"), 403)
    })
  )

  it.effect("requires the scope to read requests", () =>
    Effect.gen(function* () {
      assertEnvelope(yield* call({ path: "/requests", headers: { authorization: "Key x:y" } }), 401)
      const headers = yield* GrantedKeys.issue({ scopes: ["requests:write", "files:read"] })
      const refused = yield* call({ path: "/requests", headers })
      assertEnvelope(refused, 403)
      assert.deepInclude(refused.json, { details: { code: "MISSING_SCOPE", scope: "requests:read" } })
    })
  )

  it.effect.each([
    ["?status=done", "status"],
    ["?status=COMPLETED&status=COMPLETED", "status"],
    ["?modelEndpoint=echo", "modelEndpoint"],
    ["?modelEndpoint=Sandbox/echo", "modelEndpoint"],
    ["?modelEndpoint=requests/echo", "modelEndpoint"],
    ["?createdAfter=yesterday", "createdAfter"],
    ["?createdAfter=", "createdAfter"],
    ["?createdAfter=2026-01-05T12:00:00", "createdAfter"],
    ["?createdAfter=2026-02-30T12:00:00Z", "createdAfter"],
    ["?createdBefore=1767614400000", "createdBefore"],
    ["?createdBefore=2026-01-05T12:00:00Z&createdBefore=2026-01-05T12:00:00Z", "createdBefore"],
    ["?metadata.=x", "metadata"],
    ["?metadata.team=a&metadata.team=b", "metadata"],
    ["?metadata.a=1&metadata.b=1&metadata.c=1&metadata.d=1&metadata.e=1", "metadata"],
    ["?expand=secrets", "expand"],
    ["?expand=", "expand"],
    ["?expand=payloads,", "expand"],
    ["?status=COMPLETED&status=FAILED", "status"],
    ["?metadata=x", "metadata"],
    ["?metadata[customer]=x", "metadata"],
    ["?Metadata.customer=x", "metadata"],
    ["?page=0", "page"],
    ["?limit=101", "limit"],
    ["?cursor=bm90aGluZw", "cursor"],
    ["?metadata.a=1&metadata.b=1&metadata.c=1&metadata.d=1", undefined],
    ["?createdAfter=2026-01-05T12:00:00.123456Z", undefined],
    ["?createdAfter=2026-01-05", undefined],
    ["?expand=billing,payloads,billing", undefined],
    ["?expand=payloads&expand=billing", undefined],
    ["?__proto__=1", "__proto__"],
    ["?Status=COMPLETED", "Status"]
  ] as const)("%s is rejected at %s, if at all, without an echo", ([query, path]) =>
    Effect.gen(function* () {
      const reply = yield* call({ path: `/requests${query}` })
      if (path === undefined) return assert.strictEqual(reply.status, 200)
      assertEnvelope(reply, 400)
      assert.deepStrictEqual(
        issuesOf(reply).map(([at]) => at),
        [path]
      )
      for (const value of ["done", "Sandbox", "yesterday", "1767", "team", "secrets", "bm90"]) {
        assert.notInclude(reply.text, value)
      }
    })
  )

  it.effect("reports several faults at once", () =>
    Effect.gen(function* () {
      const reply = yield* call({ path: "/requests?status=x&createdAfter=y&metadata.=&expand=z&page=0" })
      assert.sameMembers(
        issuesOf(reply).map(([at]) => at),
        ["status", "createdAfter", "metadata", "expand", "page"]
      )
    })
  )

  it.effect("does not clash with the request of that path, answers HEAD, and must not be cached", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      assert.deepInclude((yield* call({ path: `/requests/${id}` })).json, { id })
      const path = "/requests?limit=1"
      const [head, get] = [yield* call({ method: "HEAD", path }), yield* call({ path })]
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      assert.strictEqual(get.headers["cache-control"], "no-store")
      const posted = yield* call({ method: "POST", path })
      assertEnvelope(posted, 405)
      assert.strictEqual(posted.headers["allow"], "GET, HEAD")
    })
  )
})
