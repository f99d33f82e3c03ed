import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Statement } from "effect/sql/Statement"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import type { Failed, Filter, PageKey } from "#projections/deliveries/DeliveryFilter.ts"
import { Deliveries } from "#projections/deliveries/Deliveries.ts"
import { type DeliveryItem, DeliveryStatus } from "#projections/deliveries/DeliveryItem.ts"
import * as Queries from "#projections/deliveries/DeliveryQueries.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { stepsOf } from "#test/support/projections/QueryPlan.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import { alice, bob, requestId, t0 } from "#test/support/projections/RequestLog.ts"
import * as Log from "#test/support/projections/deliveries/DeliveryLog.ts"

const test = (name: string, body: Effect.Effect<void, unknown, ReadSide.Services>) =>
  it.live(name, () => Effect.provide(body, ReadSide.layer))

const list = Effect.fnUntraced(function* (
  filter: Partial<Filter> = {},
  { page = 1, after = null, limit = 100 }: { page?: number; after?: PageKey | null; limit?: number } = {}
) {
  return yield* (yield* Deliveries).list({ accountId: alice, page, after, limit, ...filter })
})

const settle = ReadSide.settle("deliveries")

/** 24 deliveries of Alice, two per ms, with every status and both events, and one of Bob. */
const many = Effect.gen(function* () {
  for (let number = 1; number <= 24; number++) {
    const at = t0 + (number >> 1)
    const event = number % 2 === 0 ? "start" : "completed"
    yield* Log.deliver(number, Log.scheduled((number + 1) >> 1, { at, event }))
    if (number % 4 === 1) yield* Log.deliver(number, Log.started(1, at))
    if (number % 4 === 2) yield* Log.deliver(number, Log.started(1, at), Log.succeeded(1, at))
    if (number % 3 === 0 && number % 4 !== 2) yield* Log.deliver(number, ...Log.givenUp(at))
  }
  yield* Log.deliver(25, Log.scheduled(25, { accountId: bob }), ...Log.givenUp())
  yield* settle
})

const descending = Array.from({ length: 24 }, (_, index) => 24 - index)

describe("Deliveries", () => {
  test(
    "shows the state of a delivery after each attempt",
    Effect.gen(function* () {
      const url = "https://one.example:8443/hooks?of=mine"
      yield* Log.deliver(1, Log.scheduled(7, { url, event: "start" }))
      yield* settle
      const item: DeliveryItem = {
        deliveryId: Log.deliveryId(1),
        accountId: alice,
        requestId: requestId(7),
        event: "start",
        url,
        status: "pending",
        attempts: 0,
        lastResponseStatus: null,
        lastError: null,
        nextAttemptAt: t0,
        deliveredAt: null,
        createdAt: t0,
        updatedAt: t0
      }
      assert.deepStrictEqual(yield* list(), { total: 1, items: [item], next: null })

      yield* Log.deliver(1, Log.started(1, t0 + 1))
      yield* settle
      const delivering: DeliveryItem = {
        ...item,
        status: "delivering",
        attempts: 1,
        nextAttemptAt: null,
        updatedAt: t0 + 1
      }
      assert.deepStrictEqual((yield* list()).items, [delivering])

      yield* Log.deliver(1, Log.failed(1, t0 + 5_002, t0 + 2))
      yield* settle
      const waiting: DeliveryItem = {
        ...item,
        attempts: 1,
        lastResponseStatus: 503,
        lastError: "http_503",
        nextAttemptAt: t0 + 5_002,
        updatedAt: t0 + 2
      }
      assert.deepStrictEqual((yield* list()).items, [waiting])

      yield* Log.deliver(1, Log.started(2, t0 + 5_002), Log.succeeded(2, t0 + 5_003))
      yield* settle
      const delivered: DeliveryItem = {
        ...item,
        status: "delivered",
        attempts: 2,
        lastResponseStatus: 204,
        nextAttemptAt: null,
        deliveredAt: t0 + 5_003,
        updatedAt: t0 + 5_003
      }
      assert.deepStrictEqual((yield* list()).items, [delivered])
    })
  )

  test(
    "lists newest first, by page or by position, with any status and event",
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
          const { items }: { readonly items: ReadonlyArray<PageKey & { deliveryId: string }> } = yield* list(
            {},
            { after, limit }
          )
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
    "a page after a position does not move when newer ones arrive",
    Effect.gen(function* () {
      yield* many
      const { items } = yield* list({}, { limit: 3 })
      yield* Log.deliver(30, Log.scheduled(30, { at: t0 + 30 }))
      yield* settle
      const after = items.at(-1) ?? null
      assert.deepStrictEqual(Log.numbersOf((yield* list({}, { after, limit: 3 })).items), [21, 20, 19])
      // Page numbers count from the newest.
      assert.deepStrictEqual(Log.numbersOf((yield* list({}, { page: 2, limit: 3 })).items), [22, 21, 20])
    })
  )

  test(
    "filters by request, status and event in any combination, with the total of the filter",
    Effect.gen(function* () {
      yield* many
      const { items: all } = yield* list()
      for (const request of [undefined, requestId(3), requestId(25), requestId(99)]) {
        for (const status of [undefined, ...DeliveryStatus.literals]) {
          for (const event of [undefined, ...WebhookEventName.literals]) {
            const filter = {
              ...(request === undefined ? {} : { requestId: request }),
              ...(status === undefined ? {} : { status }),
              ...(event === undefined ? {} : { event })
            }
            const expected = all.filter(
              (item) =>
                (request ?? item.requestId) === item.requestId &&
                (status ?? item.status) === item.status &&
                (event ?? item.event) === item.event
            )
            const found = yield* list(filter)
            assert.deepStrictEqual(
              found,
              { total: expected.length, items: expected, next: null },
              JSON.stringify(filter)
            )
            const second = yield* list(filter, { after: expected[0] ?? null, limit: 2 })
            assert.deepStrictEqual(second.items, expected.slice(1, 3), JSON.stringify(filter))
            assert.strictEqual(second.next === null, expected.length <= 3, JSON.stringify(filter))
          }
        }
      }
    })
  )

  test(
    "shows an account only its own, by any filter",
    Effect.gen(function* () {
      yield* many
      assert.deepStrictEqual(Log.numbersOf((yield* list({ accountId: bob })).items), [25])
      assert.deepStrictEqual(yield* list({ accountId: bob, requestId: requestId(3) }), {
        total: 0,
        items: [],
        next: null
      })
    })
  )

  test(
    "returns failures within a time range oldest first, page by page, and counts them",
    Effect.gen(function* () {
      const deliveries = yield* Deliveries
      yield* many
      const { items } = yield* list({ status: "failed" })
      const oldestFirst = items.toReversed()
      assert.deepStrictEqual(Log.numbersOf(oldestFirst), [3, 9, 12, 15, 21, 24])
      const all: Failed = { accountId: alice, since: t0, until: t0 + 100 }
      const paged: Array<number> = []
      let after: PageKey | null = null
      while (paged.length < 6) {
        const found: ReadonlyArray<PageKey> = yield* deliveries.failed({ ...all, after, limit: 2 })
        paged.push(...Log.numbersOf(found))
        after = found.at(-1) ?? null
      }
      assert.deepStrictEqual(paged, Log.numbersOf(oldestFirst))
      assert.strictEqual(yield* deliveries.countFailed(all), 6)
      // The first bound is included, the second is not.
      const some = { accountId: alice, since: t0 + 4, until: t0 + 10 }
      assert.deepStrictEqual(
        Log.numbersOf(yield* deliveries.failed({ ...some, after: null, limit: 9 })),
        [9, 12, 15]
      )
      assert.strictEqual(yield* deliveries.countFailed(some), 3)
      assert.strictEqual(yield* deliveries.countFailed({ ...some, until: t0 + 4 }), 0)
      // An erased delivery cannot be sent again.
      yield* Log.deliver(12, { _tag: "PayloadsErased", at: t0 + 200, erased: ["body"] })
      yield* settle
      assert.strictEqual(yield* deliveries.countFailed(some), 2)
      assert.deepStrictEqual(
        Log.numbersOf(yield* deliveries.failed({ ...some, after: null, limit: 9 })),
        [9, 15]
      )
      assert.strictEqual((yield* list({ status: "failed" })).total, 6)
    })
  )
})

describe("The queries of Deliveries", () => {
  const place = { createdAt: t0, deliveryId: "msg_1" }
  const failed = { accountId: alice, since: t0, until: t0 + 9 }
  const paged: ReadonlyArray<Partial<Filter>> = [
    {},
    { status: "failed" },
    { event: "start" },
    { status: "failed", event: "start" }
  ]
  for (const filter of paged) {
    for (const after of [null, place]) {
      const name = `${Object.keys(filter).join(" and ") || "nothing"}${after === null ? "" : ", behind a place"}`
      test(
        `reach a distant page using only index entries, filtered by ${name}`,
        Effect.gen(function* () {
          const sql = yield* ReadModels
          const part = { after, offset: 1_000, limit: 20 }
          const steps = yield* stepsOf(Queries.pageOf(sql, { accountId: alice, ...filter }, part))
          assert.isTrue(steps.some((step) => step.includes("USING COVERING INDEX deliveries_by_list")))
          assert.isFalse(steps.some((step) => step.startsWith("SCAN deliveries")))
          // Sorts only the rows of the page.
          assert.lengthOf(
            steps.filter((step) => step.includes("TEMP B-TREE")),
            1
          )
        })
      )
    }
  }

  test(
    "sum the counters of an account, and count the rows of a request",
    Effect.gen(function* () {
      const sql = yield* ReadModels
      assert.deepStrictEqual(yield* stepsOf(Queries.sumCounters(sql, { accountId: alice, event: "start" })), [
        "SEARCH deliveries_counters USING PRIMARY KEY (account_id=?)"
      ])
      const ofRequest = { accountId: alice, requestId: requestId(1) }
      const byRequest = "SEARCH deliveries_deliveries USING INDEX deliveries_by_request (request_id=?)"
      assert.deepStrictEqual(yield* stepsOf(Queries.countOfRequest(sql, ofRequest)), [byRequest])
      const page = { after: place, offset: 0, limit: 5 }
      assert.deepStrictEqual(yield* stepsOf(Queries.ofRequest(sql, ofRequest, page)), [
        byRequest,
        "USE TEMP B-TREE FOR ORDER BY"
      ])
    })
  )

  const ofFailed: Record<string, (sql: ReadModels["Service"]) => Statement<unknown>> = {
    countFailed: (sql) => Queries.countFailed(sql, failed),
    failed: (sql) => Queries.failed(sql, { ...failed, after: place, limit: 20 })
  }
  for (const [name, query] of Object.entries(ofFailed)) {
    test(
      `${name} reads the index between the times without sorting`,
      Effect.gen(function* () {
        const steps = yield* stepsOf(query(yield* ReadModels))
        const walks = steps.filter((step) => step.startsWith("SEARCH"))
        assert.lengthOf(walks, 1)
        for (const step of walks) {
          assert.include(step, "USING COVERING INDEX deliveries_recoverable")
          assert.include(step, "account_id=? AND created_at>? AND created_at<?")
        }
        assert.isFalse(steps.some((step) => /SCAN deliveries|TEMP B-TREE/.test(step)))
      })
    )
  }
})
