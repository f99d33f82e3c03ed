/** Status changes of several blocks (`HistoryChanges`). */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { LiveStatus } from "#projections/live-status/LiveStatus.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const { alice, bob, carol, echo } = Log

/** Two changes of each request, 300 in all. The 13th request of each 13 is Bob's, the last one Carol's. */
const requests = 150
const accountOf = (number: number) => (number === requests ? carol : number % 13 === 0 ? bob : alice)

const life = Effect.gen(function* () {
  for (let number = 1; number <= requests; number++) {
    yield* Log.append(number, Log.submitted(accountOf(number), echo))
    // Some batches end within a block.
    if (number % 40 === 0) yield* ReadSide.settle("history")
    yield* Log.append(number, { _tag: "RequestCancelled", at: Log.t0, reason: "requested" })
  }
  yield* ReadSide.settle("history")
})

const read = Layer.effectDiscard(life).pipe(
  Layer.provideMerge(LiveStatus.layer.pipe(Layer.provideMerge(ReadSide.layer)))
)

const expected = Array.from({ length: 2 * requests }, (_, index) => ({
  change: index + 1,
  accountId: accountOf(Math.floor(index / 2) + 1),
  requestId: Log.requestId(Math.floor(index / 2) + 1),
  status: index % 2 === 0 ? "IN_QUEUE" : "CANCELLED"
}))

layer(read, { excludeTestServices: true })("Status changes of several blocks", (it) => {
  it.effect("continue after each change, for all accounts and for one, up to a limit", () =>
    Effect.gen(function* () {
      const { after } = yield* LiveStatus
      for (const change of [0, 1, 126, 127, 128, 129, 255, 256, 257, 298, 299, 300]) {
        for (const accountId of [undefined, alice, bob, carol]) {
          for (const limit of [1, 3, 200, 1_000]) {
            const found = yield* after({ ...(accountId !== undefined && { accountId }), change, limit })
            assert.deepStrictEqual(
              found.map(({ accountId, change, requestId, status }) => ({
                change,
                accountId,
                requestId,
                status
              })),
              expected
                .filter(
                  (one) => one.change > change && (accountId === undefined || one.accountId === accountId)
                )
                .slice(0, limit)
            )
          }
        }
      }
    })
  )

  it.effect("have positions in the order of the log, and the last one is the newest", () =>
    Effect.gen(function* () {
      const { changeAt, newest, positionOf } = yield* LiveStatus
      assert.strictEqual(yield* newest, 300)
      for (const change of [1, 2, 127, 128, 129, 256, 257, 300]) {
        assert.strictEqual(yield* changeAt(yield* positionOf(change)), change)
      }
    })
  )
})
