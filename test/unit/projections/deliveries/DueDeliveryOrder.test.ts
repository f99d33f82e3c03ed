/** Properties of the order in which deliveries are sent; no query scans waiting rows. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Statement } from "effect/sql/Statement"
import * as fc from "fast-check"
import type { AccountId } from "#domain/Ids.ts"
import { DueDeliveries } from "#projections/deliveries/DueDeliveries.ts"
import * as Queries from "#projections/deliveries/DueDeliveryQueries.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { stepsOf } from "#test/support/projections/QueryPlan.ts"
import { t0 } from "#test/support/projections/RequestLog.ts"
import { numbersOf } from "#test/support/projections/deliveries/DeliveryLog.ts"
import {
  accountOf,
  fill,
  layer,
  originOf,
  type Waiting
} from "#test/support/projections/deliveries/WaitingRows.ts"

const nothing = { accounts: [], receivers: [], lanes: [], deliveries: [] }

const accounts = [0, 1, 2, 3, 4]

const deliveries = fc.array(
  fc.record({
    account: fc.constantFrom(...accounts),
    receiver: fc.integer({ min: 0, max: 3 }),
    dueAt: fc.integer({ min: t0 - 5, max: t0 + 2 })
  }),
  { maxLength: 50 }
)

interface Asked {
  readonly limit: number
  readonly each: number
  readonly after: number | null
  readonly full: ReadonlyArray<number>
}

const asked: fc.Arbitrary<Asked> = fc.record({
  limit: fc.integer({ min: 1, max: 20 }),
  each: fc.integer({ min: 1, max: 6 }),
  after: fc.option(fc.constantFrom(...accounts)),
  full: fc.subarray([0, 1, 2, 3, 4])
})

const next = Effect.fnUntraced(function* ({ after, each, full, limit }: Asked) {
  return yield* (yield* DueDeliveries).next({
    now: t0,
    limit,
    each,
    after: after === null ? null : accountOf(after),
    without: { ...nothing, receivers: full.map(originOf) }
  })
})

/** The expected result of `next` by its definition; deliveries that came due at the same time may be in any order. */
const expected = (waiting: ReadonlyArray<Waiting>, { after, each, full, limit }: Asked) => {
  const due = waiting
    .filter(({ dueAt, receiver }) => dueAt <= t0 && !full.includes(receiver))
    .sort((a, b) => a.dueAt - b.dueAt)
  const ofLanes = [...Map.groupBy(due, ({ account, receiver }) => `${account} ${receiver}`).values()].flatMap(
    (lane) => lane.slice(0, each)
  )
  const queues = accounts
    .map((step) => (step + (after ?? -1) + 1) % accounts.length)
    .map((account) => due.filter((delivery) => delivery.account === account && ofLanes.includes(delivery)))
  const order: Array<Waiting> = []
  while (queues.some((queue) => queue.length > 0)) {
    for (const queue of queues) order.push(...queue.splice(0, 1))
  }
  return order.slice(0, limit).map(({ account, dueAt }) => ({ accountId: accountOf(account), dueAt }))
}

const crowd = (size: number, waiting: (index: number) => Waiting) =>
  Array.from({ length: size }, (_, index) => waiting(index))

describe("The order of due deliveries", () => {
  it.live(
    "is round robin over accounts, the longest due first in each, for any waiting rows and any full lanes",
    Effect.fnUntraced(function* () {
      const context = yield* Effect.context<DueDeliveries | ReadModels>()
      const property = fc.asyncProperty(deliveries, asked, (waiting, asked) =>
        Effect.gen(function* () {
          yield* fill(waiting)
          const found = yield* next(asked)
          assert.deepStrictEqual(
            found.map(({ accountId, dueAt }) => ({ accountId, dueAt })),
            expected(waiting, asked)
          )
          assert.strictEqual(new Set(numbersOf(found)).size, found.length)
          const lanes = Map.groupBy(found, ({ accountId, origin }) => `${accountId} ${origin}`)
          for (const lane of lanes.values()) {
            assert.isAtMost(lane.length, asked.each)
            assert.notInclude(asked.full.map(originOf), lane[0]?.origin)
          }
        }).pipe(Effect.runPromiseWith(context))
      )
      yield* Effect.promise(() => fc.assert(property, { numRuns: 300 }))
    }, Effect.provide(layer))
  )

  it.live(
    "reaches every account, although one has 5,000 due at a dead receiver and another 3,000 receivers",
    Effect.fnUntraced(function* () {
      yield* fill([
        ...crowd(5_000, () => ({ account: 0, receiver: 0, dueAt: t0 - 9 })),
        ...crowd(3_000, (index) => ({ account: 1, receiver: index + 10, dueAt: t0 - 9 })),
        ...crowd(300, (index) => ({ account: index + 2, receiver: 1, dueAt: t0 }))
      ])
      const due = yield* DueDeliveries
      const served = new Set<AccountId>()
      let after: AccountId | null = null
      for (const _ of [1, 2, 3, 4]) {
        const found: ReadonlyArray<{ readonly accountId: AccountId }> = yield* due.next({
          now: t0,
          limit: 100,
          each: 4,
          after,
          without: nothing
        })
        for (const { accountId } of found) served.add(accountId)
        after = found.at(-1)?.accountId ?? null
      }
      assert.strictEqual(served.size, 302)
    }, Effect.provide(layer))
  )

  it.live(
    "finds due deliveries behind waiting lanes, and behind more accounts with full receivers than one query reads",
    Effect.fnUntraced(function* () {
      yield* fill([
        ...crowd(3_000, (account) => ({ account, receiver: account + 10, dueAt: t0 + 1_000 })),
        ...crowd(3_000, (account) => ({ account, receiver: 0, dueAt: t0 - 9 })),
        ...crowd(20, () => ({ account: 9_000, receiver: 1, dueAt: t0 }))
      ])
      const found = yield* next({ limit: 10, each: 5, after: null, full: [0] })
      assert.deepStrictEqual(numbersOf(found), [6_000, 6_001, 6_002, 6_003, 6_004])
      assert.deepStrictEqual(yield* next({ limit: 10, each: 5, after: null, full: [0, 1] }), [])
    }, Effect.provide(layer))
  )
})

describe("The queries of DueDeliveries", () => {
  const due = {
    now: t0,
    without: {
      accounts: ["acc_full"],
      receivers: ["https://full.example"],
      lanes: [["acc_1", "https://one.example"]],
      deliveries: ["msg_held"]
    }
  } as const
  const queries: Record<string, (sql: ReadModels["Service"]) => Statement<unknown>> = {
    owed: (sql) => Queries.owed(sql, { after: { requestId: "rq", event: "start" }, limit: 100 }),
    nextDueAt: (sql) => Queries.nextDueAt(sql, t0),
    underWay: (sql) => Queries.underWay(sql, { after: "msg_1", limit: 100 }),
    recoveries: (sql) => Queries.recoveries(sql, 100),
    backlog: (sql) => Queries.backlog(sql)
  }
  for (const [name, query] of Object.entries(queries)) {
    it.live(
      `${name} reads a key or an index in order, without sorting`,
      Effect.fnUntraced(function* () {
        const steps = yield* stepsOf(query(yield* ReadModels))
        assert.isNotEmpty(steps)
        for (const step of steps) {
          assert.notMatch(step, /^SCAN deliveries_deliveries|TEMP B-TREE/)
        }
      }, Effect.provide(layer))
    )
  }

  it.live(
    "dueAccounts searches the indexes by time, and sorts only the accounts",
    Effect.fnUntraced(function* () {
      const sql = yield* ReadModels
      const steps = yield* stepsOf(Queries.dueAccounts(sql, due, { after: "acc_1", limit: 100 }))
      assert.deepStrictEqual(
        steps.filter((step) => /deliveries_/.test(step)),
        [
          "SEARCH deliveries_accounts USING COVERING INDEX deliveries_accounts_by_time (next_at<?)",
          "SEARCH deliveries_lanes EXISTS USING COVERING INDEX deliveries_lanes_of_account (account_id=? AND next_at<?)",
          "SEARCH deliveries_origins USING COVERING INDEX deliveries_origins_by_time (next_at<?)",
          "SEARCH lane USING COVERING INDEX deliveries_lanes_of_origin (origin=? AND next_at<?)"
        ]
      )
    }, Effect.provide(layer))
  )

  it.live(
    "longestDueOf searches lane by lane, and sorts only its result",
    Effect.fnUntraced(function* () {
      const sql = yield* ReadModels
      const steps = yield* stepsOf(Queries.longestDueOf(sql, { ...due, each: 4 }, ["acc_1"], 10))
      assert.deepStrictEqual(
        steps.filter((step) => /deliveries_|SEARCH|TEMP B-TREE/.test(step)),
        [
          "SEARCH deliveries_deliveries USING PRIMARY KEY (delivery_id=?)",
          "SEARCH deliveries_lanes USING COVERING INDEX deliveries_lanes_of_account (account_id=? AND next_at<?)",
          "SEARCH due USING PRIMARY KEY (delivery_id=?)",
          "SEARCH deliveries_deliveries USING COVERING INDEX deliveries_by_lane (account_id=? AND origin=? AND next_attempt_at<?)",
          "USE TEMP B-TREE FOR ORDER BY"
        ]
      )
    }, Effect.provide(layer))
  )
})
