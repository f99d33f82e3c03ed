/** `GET /usage` (decisions, "Platform routes"). */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { KeyId } from "#domain/Ids.ts"
import { Statements } from "#src/features/billing/Statements.ts"
import * as Callers from "#test/support/Callers.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as BilledAccount from "#test/support/src/edges/http/BilledAccount.ts"
import { assertEnvelope, call, issuesOf } from "#test/support/src/edges/http/Calls.ts"

const at = (text: string): number => Date.parse(text)
const usage = (query: string) => `/usage?${query}`
const january = "start=2026-01-01&end=2026-02-01"

/** Four days, three models, two keys, and a free run. */
const spent = Effect.fnUntraced(function* (name: string) {
  const account = yield* BilledAccount.open(name)
  const { bill } = account
  yield* bill({ at: at("2026-01-05T12:59:59.999Z"), cost: "0.001" })
  yield* bill({ at: at("2026-01-05T13:00:00Z"), cost: "0.0015", hold: "0.4" })
  yield* bill({ at: at("2026-01-05T13:00:00Z"), cost: null })
  yield* bill({ at: at("2026-01-05T13:00:00Z") }, true)
  yield* bill({
    at: at("2026-01-05T23:59:59Z"),
    model: "vision/resize",
    unit: "megapixel",
    quantity: 1_250_000n,
    cost: "0.00125",
    key: "key_other"
  })
  yield* bill({ at: at("2026-01-06T00:00:00Z"), model: "acme/free", quantity: 3_000_000n, cost: "0" })
  yield* bill({ at: at("2026-02-01T00:00:00Z"), cost: "0.2" })
  return account
})

const echo = { modelEndpoint: "sandbox/echo", unit: "request" }
const resize = { modelEndpoint: "vision/resize", unit: "megapixel" }

layer(TestServer.layer(), { excludeTestServices: true })("usage", (it) => {
  it.effect("is the charges by day, model and unit, with totals", () =>
    Effect.gen(function* () {
      const { get } = yield* spent("by-day")
      const { headers, json, status } = yield* get(usage(january))
      assert.deepStrictEqual([status, headers["cache-control"]], [200, "no-store"])
      assert.deepStrictEqual(json, {
        start: "2026-01-01T00:00:00.000Z",
        end: "2026-02-01T00:00:00.000Z",
        granularity: "day",
        currency: "USD",
        data: [
          { bucket: "2026-01-05T00:00:00.000Z", ...echo, quantity: "2", requests: 2, cost: "0.0025" },
          { bucket: "2026-01-05T00:00:00.000Z", ...resize, quantity: "1.25", requests: 1, cost: "0.00125" },
          {
            bucket: "2026-01-06T00:00:00.000Z",
            modelEndpoint: "acme/free",
            unit: "request",
            quantity: "3",
            requests: 1,
            cost: "0"
          }
        ],
        totals: { requests: 4, quantity: { request: "5", megapixel: "1.25" }, cost: "0.00375" }
      })
    })
  )

  it.effect("is returned by hour, by month, for one model and for one key", () =>
    Effect.gen(function* () {
      const { json } = yield* spent("chosen")
      const rows = Effect.fnUntraced(function* (query: string) {
        const { data } = yield* json(usage(`${january}&${query}`))
        return data.map(({ bucket, cost, modelEndpoint }: Record<string, string>) => [
          bucket?.slice(0, 16),
          modelEndpoint,
          cost
        ])
      })
      assert.deepStrictEqual(yield* rows("granularity=hour&modelEndpoint=sandbox/echo"), [
        ["2026-01-05T12:00", "sandbox/echo", "0.001"],
        ["2026-01-05T13:00", "sandbox/echo", "0.0015"]
      ])
      assert.deepStrictEqual(yield* rows("granularity=month"), [
        ["2026-01-01T00:00", "acme/free", "0"],
        ["2026-01-01T00:00", "sandbox/echo", "0.0025"],
        ["2026-01-01T00:00", "vision/resize", "0.00125"]
      ])
      assert.deepStrictEqual(yield* rows("keyId=key_other"), [
        ["2026-01-05T00:00", "vision/resize", "0.00125"]
      ])
      for (const nothing of [
        "keyId=key_none",
        "modelEndpoint=acme/none",
        "keyId=key_other&modelEndpoint=acme/free"
      ])
        assert.deepStrictEqual(yield* rows(nothing), [])
    })
  )

  it.effect("has a row for each key when grouped by key", () =>
    Effect.gen(function* () {
      const { json } = yield* spent("by-key")
      const { data, totals } = yield* json(usage(`${january}&granularity=month&groupBy=key`))
      const row = (keyId: string, rest: object) => ({ bucket: "2026-01-01T00:00:00.000Z", keyId, ...rest })
      assert.sameDeepMembers(data, [
        row("key_test", { ...echo, quantity: "2", requests: 2, cost: "0.0025" }),
        row("key_test", {
          modelEndpoint: "acme/free",
          unit: "request",
          quantity: "3",
          requests: 1,
          cost: "0"
        }),
        row("key_other", { ...resize, quantity: "1.25", requests: 1, cost: "0.00125" })
      ])
      assert.strictEqual(totals.cost, "0.00375")
    })
  )

  it.effect("covers whole buckets around the requested time, which the answer states", () =>
    Effect.gen(function* () {
      const { json } = yield* BilledAccount.open("rounded")
      const time = Effect.fnUntraced(function* (query: string) {
        const { end, start } = yield* json(usage(query))
        return [start, end].map((text: string) => text.slice(0, 16))
      })
      const inside = "start=2026-01-05T12:30:00Z&end=2026-01-06T14:00:00%2B01:00"
      const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        [`${inside}&granularity=hour`, ["2026-01-05T12:00", "2026-01-06T13:00"]],
        [`${inside}&granularity=day`, ["2026-01-05T00:00", "2026-01-07T00:00"]],
        [`${inside}&granularity=month`, ["2026-01-01T00:00", "2026-02-01T00:00"]],
        ["start=2026-01-05&end=2026-01-06", ["2026-01-05T00:00", "2026-01-06T00:00"]],
        ["end=2026-03-01", ["2026-01-30T00:00", "2026-03-01T00:00"]],
        ["start=2016-01-01&end=2026-01-01&granularity=month", ["2016-01-01T00:00", "2026-01-01T00:00"]],
        ["start=2028-01-01&end=2029-01-01&granularity=day", ["2028-01-01T00:00", "2029-01-01T00:00"]],
        [
          "start=2026-01-01T00:30:00Z&end=2026-02-01T00:30:00Z&granularity=hour",
          ["2026-01-01T00:00", "2026-02-01T01:00"]
        ]
      ]
      for (const [query, expected] of cases)
        assert.strictEqual(String(yield* time(query)), String(expected), query)
    })
  )

  it.effect("covers the last thirty days, today included, when no time is given", () =>
    Effect.gen(function* () {
      const { bill, json } = yield* BilledAccount.open("lately")
      const now = Date.now()
      const day = 86_400_000
      yield* bill({ at: now, cost: "0.001" })
      yield* bill({ at: now - 29 * day, cost: "0.002" })
      yield* bill({ at: now - 32 * day, cost: "0.1" })
      const { end, granularity, start, totals } = yield* json("/usage")
      assert.deepStrictEqual([granularity, totals.requests, totals.cost], ["day", 2, "0.003"])
      assert.isAbove(at(end), now)
      assert.isTrue((at(end) - at(start)) / day >= 31 && (at(end) - at(start)) / day <= 32)
    })
  )

  it.effect("is the account's own, whatever its size", () =>
    Effect.gen(function* () {
      yield* spent("full")
      const { bill, json } = yield* BilledAccount.open("large")
      const empty = { data: [], totals: { requests: 0, quantity: {}, cost: "0" } }
      assert.deepInclude(yield* json(usage(january)), empty)
      for (let index = 0; index < 2; index++) {
        yield* bill({
          at: at("2026-01-05T00:00:00Z"),
          cost: "9007199254740993.000000001",
          quantity: 10n ** 18n
        })
      }
      const { data } = yield* json(usage(january))
      assert.deepInclude(data[0], { cost: "18014398509481986.000000002", quantity: "2000000000000" })
    })
  )

  it.effect("with too many rows is rejected", () =>
    Effect.gen(function* () {
      const { accountId } = yield* spent("many-rows")
      const caller = Callers.of(accountId, KeyId.make("many-rows"))
      const time = { granularity: "day", start: at("2026-01-01"), end: at("2026-02-01") } as const
      const ask = (mostRows: number) =>
        Effect.flatMap(Statements, (statements) => statements.usage({ caller, ...time })).pipe(
          Effect.provide(Layer.fresh(Statements.layerOf({ mostRows })))
        )
      assert.lengthOf((yield* ask(3)).rows, 3)
      assert.deepInclude(yield* Effect.flip(ask(2)), { _tag: "UsageTooLarge" })
    })
  )

  it.effect.each([
    ["start=yesterday", [["start", "format"]]],
    ["start=2026-02-30", [["start", "format"]]],
    ["end=2026-01-05T12:00:00", [["end", "format"]]],
    ["granularity=week", [["granularity", "enum"]]],
    ["modelEndpoint=echo", [["modelEndpoint", "pattern"]]],
    ["keyId=", [["keyId", "pattern"]]],
    ["start=2026-01-02&end=2026-01-01", [["start", "range"]]],
    ["start=2026-01-01&end=2026-01-01", [["start", "range"]]],
    ["start=9999-01-01", [["start", "range"]]],
    ["start=2026-01-01&end=2026-02-01T00:00:00.001Z&granularity=hour", [["start", "range"]]],
    ["start=2026-01-01&end=2027-01-03", [["start", "range"]]],
    ["start=2016-01-01&end=2026-01-03&granularity=month", [["start", "range"]]],
    [
      "start=x&end=y&granularity=z",
      [
        ["start", "format"],
        ["end", "format"],
        ["granularity", "enum"]
      ]
    ]
  ] as const)("is rejected with $0", ([query, issues]) =>
    Effect.gen(function* () {
      const reply = yield* call({ path: usage(query) })
      assertEnvelope(reply, 400)
      assert.deepStrictEqual(issuesOf(reply), issues)
    })
  )
})
