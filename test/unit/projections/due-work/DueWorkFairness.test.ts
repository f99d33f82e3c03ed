/** Properties of the order in which requests are served; no query scans the queue. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Statement } from "effect/sql/Statement"
import * as fc from "fast-check"
import { AccountId, type RequestId } from "#domain/Ids.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import * as Queries from "#projections/due-work/DueWorkQueries.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import * as SqliteClient from "#streams/SqliteClient.ts"
import * as Reactivity from "effect/reactivity/Reactivity"
import { Layer } from "effect"
import { stepsOf } from "#test/support/projections/QueryPlan.ts"
import { echo, requestId, slow, t0 } from "#test/support/projections/RequestLog.ts"

/** Only the tables of the queue, writable. */
const layer = DueWork.layer.pipe(
  Layer.provideMerge(
    Layer.effect(ReadModels, SqliteClient.make({ filename: ":memory:", synchronous: "NORMAL" }))
  ),
  Layer.provide(Reactivity.layer)
)

const createTables = Effect.gen(function* () {
  const sql = yield* ReadModels
  for (const statement of DueWorkProjection.projection.tables.split(";")) {
    if (statement.trim() !== "") yield* sql.unsafe(statement)
  }
})

interface Waiting {
  readonly account: number
  readonly dueAt: number
}

const fill = Effect.fnUntraced(function* (requests: ReadonlyArray<Waiting>) {
  const sql = yield* ReadModels
  yield* sql`DELETE FROM duework_requests`
  const rows = requests.map(({ account, dueAt }, index) => [requestId(index), accountOf(account), dueAt])
  yield* sql`INSERT INTO duework_requests
    SELECT value ->> 0, value ->> 1, ${echo}, 'queued', value ->> 2, 0, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL,
      NULL, '1', NULL, 0, 0
    FROM json_each(${JSON.stringify(rows)})`
})

const accountOf = (number: number) => AccountId.make(`acc_${String(number).padStart(5, "0")}`)

const queue = fc.array(
  fc.record({ account: fc.integer({ min: 0, max: 6 }), dueAt: fc.integer({ min: t0 - 5, max: t0 + 2 }) }),
  { maxLength: 40 }
)
const limits = fc.integer({ min: 1, max: 20 })
const turns = fc.option(fc.integer({ min: 0, max: 6 }))

/** The expected result of `next` by the definition of round robin. */
const expected = (
  requests: ReadonlyArray<Waiting>,
  limit: number,
  after: number | null
): Array<RequestId> => {
  const byAccount = Map.groupBy(
    requests
      .map((request, index) => ({ ...request, id: requestId(index) }))
      .filter(({ dueAt }) => dueAt <= t0),
    ({ account }) => account
  )
  const queues = [0, 1, 2, 3, 4, 5, 6]
    .map((step) => (step + (after ?? -1) + 1) % 7)
    .map((account) =>
      (byAccount.get(account) ?? []).sort((a, b) => a.dueAt - b.dueAt || a.id.localeCompare(b.id))
    )
  const order: Array<RequestId> = []
  while (queues.some((queue) => queue.length > 0)) {
    for (const queue of queues) order.push(...queue.splice(0, 1).map(({ id }) => id))
  }
  return order.slice(0, limit)
}

describe("DueWork's order", () => {
  it.live(
    "is round robin over accounts, oldest first in each, for any queue, limit and turn",
    Effect.fnUntraced(function* () {
      yield* createTables
      const work = yield* DueWork
      const context = yield* Effect.context<ReadModels>()
      const property = fc.asyncProperty(queue, limits, turns, (requests, limit, after) =>
        Effect.gen(function* () {
          yield* fill(requests)
          const found = yield* work.next({
            model: echo,
            now: t0,
            limit,
            after: after === null ? null : accountOf(after)
          })
          assert.deepStrictEqual(
            found.map(({ requestId }) => requestId),
            expected(requests, limit, after)
          )
        }).pipe(Effect.runPromiseWith(context))
      )
      yield* Effect.promise(() => fc.assert(property, { numRuns: 150 }))
    }, Effect.provide(layer))
  )

  it.live(
    "serves every account in one round of calls, although one has a queue of 2,000",
    Effect.fnUntraced(function* () {
      yield* createTables
      const crowd = Array.from({ length: 2_000 }, () => ({ account: 0, dueAt: t0 }))
      const others = Array.from({ length: 300 }, (_, index) => ({ account: index + 1, dueAt: t0 }))
      yield* fill([...crowd, ...others])
      const work = yield* DueWork
      const served = new Set<AccountId>()
      let after: AccountId | null = null
      for (const _ of [1, 2, 3, 4]) {
        const found: ReadonlyArray<{ readonly accountId: AccountId }> = yield* work.next({
          model: echo,
          now: t0,
          limit: 100,
          after
        })
        for (const { accountId } of found) served.add(accountId)
        after = found.at(-1)?.accountId ?? null
      }
      assert.strictEqual(served.size, 301)
    }, Effect.provide(layer))
  )

  it.live(
    "finds due requests behind more waiting accounts than one query reads",
    Effect.fnUntraced(function* () {
      yield* createTables
      const waiting = Array.from({ length: 2_500 }, (_, account) => ({ account, dueAt: t0 + 1_000 }))
      const due = Array.from({ length: 20 }, () => ({ account: 2_600, dueAt: t0 }))
      yield* fill([...waiting, ...due])
      const found = yield* (yield* DueWork).next({ model: echo, now: t0, limit: 5, after: null })
      assert.deepStrictEqual(
        found.map(({ accountId }) => accountId),
        [1, 2, 3, 4, 5].map(() => accountOf(2_600))
      )
    }, Effect.provide(layer))
  )
})

describe("DueWork's queries", () => {
  const page = { now: t0, after: { at: t0 - 5, requestId: requestId(1) }, limit: 100 }
  const queries: Record<string, (sql: ReadModels["Service"]) => Statement<unknown>> = {
    oldest: (sql) => Queries.oldest(sql, { model: echo, now: t0 }, 100),
    dueAccounts: (sql) =>
      Queries.dueAccounts(sql, { model: echo, now: t0 }, { above: "acc_1", upTo: "acc_2", limit: 100 }),
    oldestOf: (sql) => Queries.oldestOf(sql, { model: echo, now: t0 }, ["acc_1", "acc_2"], 10),
    dueModels: (sql) => Queries.dueModels(sql, t0),
    nextDueAt: (sql) => Queries.nextDueAt(sql, t0),
    claims: (sql) => Queries.claims(sql, { after: requestId(1), limit: 100 }),
    cancelRequested: (sql) => Queries.cancelRequested(sql, { node: "node-1", limit: 100 }),
    deadlines: (sql) => Queries.deadlines(sql, page),
    nextDeadlineAt: (sql) => Queries.nextDeadlineAt(sql, t0),
    overdue: (sql) => Queries.overdue(sql, page),
    finalizing: (sql) => Queries.finalizing(sql, page),
    forceFailable: (sql) =>
      Queries.forceFailable(sql, { createdBefore: t0, after: requestId(1), limit: 100 }),
    depth: (sql) => Queries.depth(sql, slow)
  }

  for (const [name, query] of Object.entries(queries)) {
    it.live(
      `${name} searches an index: it neither scans nor sorts the queue`,
      Effect.fnUntraced(function* () {
        yield* createTables
        const steps = yield* stepsOf(query(yield* ReadModels))
        assert.isNotEmpty(steps)
        for (const step of steps) {
          assert.notMatch(step, /^SCAN duework_requests|TEMP B-TREE/)
        }
      }, Effect.provide(layer))
    )
  }
})
