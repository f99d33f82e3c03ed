import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope, Struct } from "effect"
import { OpenApi } from "effect/http-api"
import { TestClock } from "effect/testing"
import { KeyId } from "#domain/Ids.ts"
import * as Money from "#domain/Money.ts"
import { Api } from "#src/edges/server/Api.ts"
import { mostExpanded, mostPayloadBytes } from "#src/features/requests/HistoryDetails.ts"
import type { Expansion } from "#src/features/requests/ListedRequest.ts"
import { RequestHistory } from "#src/features/requests/RequestHistory.ts"
import * as Callers from "#test/support/Callers.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { call } from "#test/support/src/edges/http/Calls.ts"
import * as DeclaredSchemas from "#test/support/src/edges/http/DeclaredSchemas.ts"
import * as Histories from "#test/support/src/edges/http/Histories.ts"
import * as GrantedKeys from "#test/support/src/edges/http/GrantedKeys.ts"
import { names, scenarios } from "#test/support/src/edges/http/Scenarios.ts"

const document = OpenApi.fromApi(Api)

const { account, idsOf } = Histories

/** The list of an account, without HTTP. */
const listOf = Effect.fnUntraced(function* (name: string, ...expand: ReadonlyArray<Expansion>) {
  const caller = Callers.of(GrantedKeys.accountOf(name), KeyId.make(name))
  const history = yield* RequestHistory
  return yield* history.list({ caller, page: 1, after: null, limit: 10, expand: new Set(expand) })
})

layer(TestServer.layer(), { excludeTestServices: true })("the list of requests, expanded", (it) => {
  it.effect.each(names.map((name) => [name] as const))(
    "with payloads shows a request that is %s as when retrieved",
    ([name]) =>
      Effect.gen(function* () {
        const id = yield* scenarios[name]
        const retrieved = yield* call({ path: `/requests/${id}` })
        const { data } = Object((yield* call({ path: "/requests?limit=1&expand=payloads" })).json)
        assert.deepStrictEqual(data, [retrieved.json])
      })
  )

  it.effect("matches its declared schema for every expansion", () =>
    Effect.gen(function* () {
      yield* Effect.forEach(names, (name) => scenarios[name])
      const declared = DeclaredSchemas.of(document)
      const operation = Object(document.paths["/requests"]?.get)
      const { schema } = operation.responses["200"].content["application/json"]
      for (const expand of ["", "&expand=payloads", "&expand=billing", "&expand=payloads,billing"]) {
        const { json } = yield* call({ path: `/requests?limit=100${expand}` })
        assert.isNull(declared.breach(schema, json), expand)
      }
    })
  )

  it.effect("with billing has the price and the outcome", () =>
    Effect.gen(function* () {
      const { list, submit } = yield* account("billed")
      const input = { count: 4, deliver: 3 }
      const partial = yield* submit({ model: "sandbox/partial", input })
      yield* Lifecycle.start(partial)
      yield* Lifecycle.deliver(partial, { items: [] }, [], Money.units(3))
      const cancelled = yield* submit({ model: "sandbox/partial", input })
      yield* Lifecycle.start(cancelled)
      yield* Lifecycle.end(cancelled, { _tag: "ProviderError", message: "no", retryable: false })
      const waiting = yield* submit({ model: "sandbox/partial", input })
      const { data } = yield* list("?expand=billing")
      assert.deepStrictEqual(idsOf({ data }), [waiting, cancelled, partial])
      const [first, second, third] = data.map(({ billing }) => Object(billing))
      const { charged, hold, quantity, unitPrice, ...price } = third
      assert.deepStrictEqual(price, {
        unit: "image",
        minimumCharge: "0.000000001",
        currency: "USD",
        quotedQuantity: "4",
        maxQuantity: "4"
      })
      assert.strictEqual(quantity, "3")
      assert.strictEqual(nanos(charged), 3n * nanos(unitPrice))
      assert.strictEqual(nanos(hold), 4n * nanos(unitPrice))
      for (const other of [first, second]) {
        assert.deepStrictEqual(other, { ...price, unitPrice, hold, quantity: null, charged: "0" })
      }
      for (const item of data) assert.notProperty(item, "input")
      const both = yield* list("?expand=payloads,billing&limit=1")
      assert.deepInclude(both.data[0], { input, output: null, billing: first })
    })
  )

  it.effect("has payloads up to a size limit, and marks omitted ones", () =>
    Effect.gen(function* () {
      const { list, submit } = yield* account("large")
      const half = { value: "x".repeat(mostPayloadBytes / 2) }
      const last = yield* submit()
      const ids = [yield* submit({ input: half }), yield* submit({ input: half }), yield* submit()]
      const { data } = yield* list("?expand=payloads")
      const [small, large, omitted, smallest] = data
      assert.deepStrictEqual(idsOf({ data }), [...ids.toReversed(), last])
      for (const item of [small, smallest]) assert.deepInclude(item, { input: { value: 1 }, output: null })
      for (const item of [small, large, smallest]) assert.notProperty(item, "payloadsOmitted")
      assert.strictEqual(JSON.stringify(large?.input), JSON.stringify(half))
      assert.deepInclude(omitted, { input: null, output: null, payloadsOmitted: true })
      // On its own it has room.
      const alone = yield* list("?expand=payloads&limit=1&page=3")
      assert.notProperty(alone.data[0], "payloadsOmitted")
      assert.deepStrictEqual(
        Struct.omit(Object(alone.data[0]), ["input"]),
        Struct.omit(Object(omitted), ["input", "payloadsOmitted"])
      )
    })
  )

  it.effect("builds few pages with payloads at once: others wait for a permit, and return it", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: mostExpanded + 1 }, (_, number) => `crowded-${number}`)
      yield* Effect.forEach(names, (name) => Effect.flatMap(account(name), ({ submit }) => submit()))
      const [last = "", ...others] = names
      const scopes = yield* Effect.forEach(others, () => Scope.make())
      for (const [index, scope] of scopes.entries()) {
        yield* Scope.provide(listOf(others[index] ?? "", "payloads"), scope)
      }
      const happened: Array<string> = []
      const waiting = yield* Effect.forkChild(
        Effect.scoped(Effect.tap(listOf(last, "payloads"), () => Effect.sync(() => happened.push("listed"))))
      )
      const leaving = yield* Effect.forkChild(Effect.scoped(listOf(last, "payloads")))
      // A list without payloads does not wait. Without limits the others would have finished long before.
      yield* Effect.repeat(Effect.scoped(listOf(last, "billing")), { times: 30 })
      yield* Fiber.interrupt(leaving)
      happened.push("given back")
      yield* Effect.forEach(scopes, (scope) => Scope.close(scope, Exit.void))
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(happened, ["given back", "listed"])
      // All permits are free again.
      yield* Effect.scoped(
        Effect.forEach(others, (name) => listOf(name, "payloads"), { concurrency: "unbounded" })
      )
    })
  )
})

layer(TestServer.layer())("permits for pages with payloads", (it) => {
  it.effect("are one per account: a second page waits, and is rejected after 10 s", () =>
    Effect.gen(function* () {
      const [greedy, other] = ["greedy", "other"]
      for (const name of [greedy, other]) yield* Effect.flatMap(account(name), ({ submit }) => submit())
      const page = (name: string) => Effect.scoped(listOf(name, "payloads"))
      const scope = yield* Scope.make()
      yield* Scope.provide(listOf(greedy, "payloads"), scope)
      const waiting = yield* Effect.forkChild(Effect.flip(page(greedy)))
      yield* page(other)
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "TooManyExpanded")
      yield* Scope.close(scope, Exit.void)
      yield* page(greedy)
      yield* page(greedy)
    })
  )
})

const nanos = (usd: string): bigint => BigInt(Math.round(Number(usd) * 1e9))
