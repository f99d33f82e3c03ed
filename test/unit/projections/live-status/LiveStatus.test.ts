import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { LiveStatus } from "#projections/live-status/LiveStatus.ts"
import * as Queries from "#projections/live-status/LiveStatusQueries.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as QueryPlan from "#test/support/projections/QueryPlan.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const { alice, bob, echo, slow } = Log

/**
 * Requests 1 to 4 are Alice's, 5 is Bob's; 1 has completed, 2 was started twice, 3 to 5 wait. In this order positions
 * reach two digits, which do not sort as text.
 */
const life = Effect.gen(function* () {
  yield* Log.append(1, Log.submitted(alice, echo))
  yield* Log.append(2, Log.submitted(alice, slow))
  yield* Log.append(5, Log.submitted(bob, echo))
  yield* Log.append(2, Log.dispatched(1), Log.started(1), Log.requeued(1, Log.t0))
  yield* Log.append(1, Log.dispatched(1), Log.started(1, Log.t0 + 1_000))
  yield* Log.append(3, Log.submitted(alice, echo))
  yield* Log.append(2, Log.dispatched(2), Log.started(2))
  yield* Log.append(1, Log.completed(1, Log.t0 + 3_500))
  yield* Log.append(4, Log.submitted(alice, echo))
  yield* ReadSide.settle("history")
})

const read = Layer.effectDiscard(life).pipe(
  Layer.provideMerge(LiveStatus.layer.pipe(Layer.provideMerge(ReadSide.layer)))
)

const numbered = (changes: ReadonlyArray<{ readonly requestId: string; readonly status: string }>) =>
  changes.map(({ requestId, status }) => [Number(requestId.slice(2)), status])

layer(read, { excludeTestServices: true })("LiveStatus", (it) => {
  it.effect("has each change of status in the order of the log, without second starts", () =>
    Effect.gen(function* () {
      const all = yield* (yield* LiveStatus).after({ change: 0, limit: 100 })
      assert.deepStrictEqual(numbered(all), [
        [1, "IN_QUEUE"],
        [2, "IN_QUEUE"],
        [5, "IN_QUEUE"],
        [2, "IN_PROGRESS"],
        [1, "IN_PROGRESS"],
        [3, "IN_QUEUE"],
        [1, "COMPLETED"],
        [4, "IN_QUEUE"]
      ])
      assert.deepStrictEqual(
        all.map(({ change }) => change),
        [1, 2, 3, 4, 5, 6, 7, 8]
      )
      assert.deepInclude(all[6], { model: echo, accountId: alice, inferenceMs: 2_500, error: null })
    })
  )

  it.effect("has the changes of one account after a change, up to a limit", () =>
    Effect.gen(function* () {
      const { after, newest } = yield* LiveStatus
      const found = yield* after({ accountId: alice, change: 1, limit: 3 })
      assert.deepStrictEqual(numbered(found), [
        [2, "IN_QUEUE"],
        [2, "IN_PROGRESS"],
        [1, "IN_PROGRESS"]
      ])
      assert.deepStrictEqual(numbered(yield* after({ accountId: bob, change: 0, limit: 9 })), [
        [5, "IN_QUEUE"]
      ])
      assert.strictEqual(yield* newest, 8)
    })
  )

  it.effect("has the last change of open requests, between two changes", () =>
    Effect.gen(function* () {
      const { open, ofRequests } = yield* LiveStatus
      const all = yield* open({ accountId: alice, after: 0, through: 8, limit: 9 })
      assert.deepStrictEqual(numbered(all), [
        [2, "IN_PROGRESS"],
        [3, "IN_QUEUE"],
        [4, "IN_QUEUE"]
      ])
      const some = yield* open({ accountId: alice, after: 4, through: 7, limit: 9 })
      assert.deepStrictEqual(numbered(some), [[3, "IN_QUEUE"]])
      const named = yield* ofRequests([Log.requestId(5), Log.requestId(1), Log.requestId(9)])
      assert.deepStrictEqual(numbered(named), [
        [5, "IN_QUEUE"],
        [1, "COMPLETED"]
      ])
    })
  )

  it.effect("finds the last change at or before any position", () =>
    Effect.gen(function* () {
      const { after, changeAt } = yield* LiveStatus
      const all = yield* after({ change: 0, limit: 100 })
      for (const text of ["0", "1", "4", "4.1", "9", "9.5", "10", "11", "13", "14", "99", "100.2"]) {
        const position = GlobalPosition.GlobalPosition.make(text)
        const last = all.filter((change) => GlobalPosition.isReached(change.position, position)).at(-1)
        assert.strictEqual(yield* changeAt(position), last?.change ?? 0, text)
      }
    })
  )

  it.effect("reads indexes without sorting more than a block", () =>
    Effect.gen(function* () {
      const sql = yield* ReadModels
      for (const [statement, index] of [
        [Queries.after(sql, { change: 1, limit: 9 }), "INTEGER PRIMARY KEY (rowid>?)"],
        [
          Queries.after(sql, { accountId: alice, change: 1, limit: 9 }),
          "SEARCH listed USING PRIMARY KEY (account_id=? AND block>?)"
        ],
        [
          Queries.open(sql, { accountId: alice, after: 1, through: 9, limit: 9 }),
          "history_open (account_id=? AND change_id>? AND change_id<?)"
        ]
      ] as const) {
        const steps = (yield* QueryPlan.stepsOf(statement)).join("\n")
        assert.include(steps, index)
        // The changes of one block are sorted, so that the limit ends the statement.
        assert.notMatch(steps, /SCAN (?!changes VIRTUAL TABLE)/)
        assert.notMatch(steps, /TEMP B-TREE (?!FOR LAST TERM)/)
      }
    })
  )
})
