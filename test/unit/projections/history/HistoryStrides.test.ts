/** With any number of requests and matches, no statement reads more than a stride of requests. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Ref } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { Status } from "#domain/inference-request/Status.ts"
import type { PageKey, Slice } from "#projections/history/HistoryFilter.ts"
import * as Queries from "#projections/history/HistoryQueries.ts"
import * as IndexedLists from "#projections/history/IndexedLists.ts"
import * as MetadataLists from "#projections/history/MetadataLists.ts"
import * as MetadataQueries from "#projections/history/MetadataQueries.ts"
import * as FairQueue from "#projections/history/FairQueue.ts"
import { pageKeys } from "#projections/history/FoundList.ts"
import { ReadModels, totalOf } from "#projections/ReadModels.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const { alice, bob, echo, slow, t0 } = Log

const test = (name: string, body: Effect.Effect<void, unknown, ReadSide.Services>) =>
  it.live(name, () => Effect.provide(body, ReadSide.layer))

const population = 120
const stride = 5

/** All within one hour, some in one ms, with even and odd numbers; none is both. */
const populate = Effect.gen(function* () {
  for (let number = 1; number <= population; number++) {
    const isEven = number % 2 === 0
    const metadata = { team: "blue", all: "yes", k: isEven ? "even" : "odd", half: isEven ? "b" : "a" }
    yield* Log.append(number, Log.submitted(alice, echo, t0 + (number >> 2), metadata))
    if (number % 3 === 0) yield* Log.append(number, Log.dispatched(1), Log.started(1))
  }
  yield* ReadSide.settle("history")
})

/** A fair queue that counts the statements that it has run. */
const counting = Effect.gen(function* () {
  const queue = yield* FairQueue.make
  const taken = yield* Ref.make(0)
  const run: FairQueue.FairQueue["run"] = (accountId) => (statement) =>
    Effect.andThen(
      Ref.update(taken, (count) => count + 1),
      queue.run(accountId)(statement)
    )
  return { queue: { run }, taken: Ref.getAndSet(taken, 0) }
})

describe("A list that is scanned", () => {
  test(
    "is divided into slices with at most a stride of each status",
    Effect.gen(function* () {
      yield* populate
      const sql = yield* ReadModels
      const filter = { accountId: alice }
      const walk = [["team", "blue"]] as const
      const counts: Array<number> = []
      for (let after: PageKey | null = null; ;) {
        const ends = MetadataQueries.endOfSlice(sql, filter, walk[0], { after, steps: stride })
        const until: PageKey | null = (yield* pageKeys(ends))[0] ?? null
        const slice: Slice = { after, until }
        counts.push(yield* totalOf(MetadataQueries.count(sql, filter, walk, slice)))
        if (until === null) break
        after = until
      }
      assert.isAtMost(Math.max(...counts), stride * Status.literals.length)
      assert.strictEqual(
        counts.reduce((sum, count) => sum + count, 0),
        population
      )
    })
  )

  test(
    "takes a turn for each slice, also for slices without matches",
    Effect.gen(function* () {
      yield* populate
      const { taken, queue } = yield* counting
      const list = MetadataLists.make(yield* ReadModels, queue, stride)
      const least = population / (2 * stride * Status.literals.length)
      const disjoint = yield* list({ accountId: alice }, [
        ["k", "even"],
        ["half", "a"]
      ])
      assert.strictEqual(disjoint.total, 0)
      assert.isAtLeast(yield* taken, 3 * least)
      assert.deepStrictEqual(yield* disjoint.items({ after: null, offset: 0, limit: 5 }), [])
      // Known to be empty, so it is not read again.
      assert.strictEqual(yield* taken, 0)
      const otherModel = yield* list({ accountId: alice, model: slow }, [["team", "blue"]])
      assert.strictEqual(otherModel.total, 0)
      assert.isAtLeast(yield* taken, 4 * least)
    })
  )

  test(
    "with metadata is scanned for the rarest entry",
    Effect.gen(function* () {
      yield* populate
      yield* Log.append(population + 1, Log.submitted(alice, echo, t0, { team: "blue", order: "7" }))
      yield* ReadSide.settle("history")
      const { taken, queue } = yield* counting
      const list = MetadataLists.make(yield* ReadModels, queue, stride)
      const found = yield* list({ accountId: alice }, [
        ["team", "blue"],
        ["order", "7"]
      ])
      assert.strictEqual(found.total, 1)
      // One slice of each, and a count.
      assert.strictEqual(yield* taken, 3)
    })
  )

  test(
    "is counted and skipped within an hour in strides, with the same results",
    Effect.gen(function* () {
      yield* populate
      const sql = yield* ReadModels
      const { taken, queue } = yield* counting
      const whole = { accountId: alice }
      const expected = yield* IndexedLists.make(sql, queue)(whole)
      for (const filter of [whole, { ...whole, createdAfter: t0 - 1 }, { ...whole, models: [echo, slow] }]) {
        yield* taken
        const found = yield* IndexedLists.make(sql, queue, stride)(filter)
        assert.strictEqual(found.total, population)
        if ("createdAfter" in filter) assert.isAtLeast(yield* taken, population / stride - 5)
        for (const offset of [0, stride - 1, stride, 77, population - 1, population]) {
          yield* taken
          const part = { after: null, offset, limit: 7 }
          assert.deepStrictEqual(yield* found.items(part), yield* expected.items(part))
          assert.strictEqual(yield* taken, Math.floor(offset / stride))
        }
      }
      const edge = { ...whole, createdAfter: t0 - 1 }
      const most = yield* totalOf(Queries.countEntries(sql, edge, { after: null, limit: stride }))
      assert.strictEqual(most, stride)
    })
  )

  it.live("delays no one: each account has its turn, whatever the others request", () =>
    Effect.gen(function* () {
      const queue = yield* FairQueue.make
      const taken: Array<AccountId> = []
      const turn = (accountId: AccountId) =>
        queue.run(accountId)(Effect.sync(() => void taken.push(accountId)))
      const many = yield* Effect.forkChild(
        Effect.replicateEffect(Effect.replicateEffect(turn(alice), 5), 20, { concurrency: "unbounded" })
      )
      yield* turn(alice)
      yield* Effect.replicateEffect(turn(bob), 5)
      yield* Fiber.join(many)
      const last = taken.lastIndexOf(bob)
      assert.isAtMost(taken.slice(0, last).filter((accountId) => accountId === alice).length, 40)
    })
  )
})
