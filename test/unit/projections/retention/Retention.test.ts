import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { codec, type Event as AccountEvent } from "#domain/account/Event.ts"
import { type AccountId, makeTimeOrdered, RequestId } from "#domain/Ids.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import { Projections } from "#projections/Projections.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { Retention } from "#projections/retention/Retention.ts"
import { startOf } from "#projections/retention/PageKey.ts"
import * as Queries from "#projections/retention/RetentionQueries.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import { deliver, scheduled } from "#test/support/projections/deliveries/DeliveryLog.ts"
import { stepsOf } from "#test/support/projections/QueryPlan.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const layer = Retention.layer.pipe(Layer.provideMerge(ReadSide.layer))

const ends: Record<string, Event> = {
  completed: Log.completed(1),
  failed: { _tag: "RequestFailed", at: Log.t0, attempt: 1, reason: "refused", message: "no" },
  cancelled: { _tag: "RequestCancelled", at: Log.t0, reason: "requested" },
  "force-failed": { _tag: "RequestForceFailed", at: Log.t0, attempt: 1, retries: 5, message: "gone" }
}

const erased = (hasFiles: boolean): Event => ({
  _tag: "PayloadsErased",
  at: Log.t0,
  reason: "requested",
  erased: ["input"],
  hasFiles
})

const appendTo = Effect.fnUntraced(function* (accountId: AccountId, event: AccountEvent) {
  yield* (yield* EventStore).append({
    stream: StreamName.make("Account", accountId),
    expected: ExpectedVersion.Any,
    events: [{ id: `${accountId}-${event._tag}`, ...codec.encode(event) }]
  })
})

/** Of all ended requests. */
const expired = Effect.flatMap(Retention, (retention) =>
  retention.expired({ createdBefore: Log.t0 + 1e12, after: null, limit: 100 })
)

const settle = Effect.andThen(ReadSide.settle("retention"), ReadSide.settle("history"))

const ids = (...numbers: ReadonlyArray<number>) => numbers.map(Log.requestId)

describe("Retention", () => {
  it.live.each(Object.entries(ends))("knows a request that is %s until it is erased", ([, end]) =>
    Effect.gen(function* () {
      yield* Log.append(1, Log.submitted(Log.alice, Log.echo))
      yield* settle
      assert.deepStrictEqual(yield* expired, [])
      yield* Log.append(1, end)
      yield* settle
      assert.deepStrictEqual(yield* expired, ids(1))
      yield* Log.append(1, erased(false))
      yield* settle
      assert.deepStrictEqual(yield* expired, [])
      const removals = yield* (yield* Retention).removals({ after: null, limit: 10 })
      assert.deepStrictEqual(removals, [])
    }).pipe(Effect.provide(layer))
  )

  it.live("tracks data outside the log of an erased request until it is removed", () =>
    Effect.gen(function* () {
      const retention = yield* Retention
      for (const number of [1, 2, 3]) {
        yield* Log.append(number, Log.submitted(Log.alice, Log.echo), Log.completed(1), erased(number > 1))
      }
      yield* settle
      assert.deepStrictEqual(yield* retention.removals({ after: null, limit: 1 }), ids(2))
      assert.deepStrictEqual(yield* retention.removals({ after: Log.requestId(2), limit: 9 }), ids(3))
      yield* Log.append(2, { _tag: "ErasedFilesRemoved", at: Log.t0 })
      yield* settle
      assert.deepStrictEqual(yield* retention.removals({ after: null, limit: 9 }), ids(3))
    }).pipe(Effect.provide(layer))
  )

  it.live("ignores webhook deliveries, whose payloads are erased as well", () =>
    Effect.gen(function* () {
      yield* Log.append(1, Log.submitted(Log.alice, Log.echo), Log.completed(1))
      yield* deliver(1, scheduled(1), { _tag: "PayloadsErased", at: Log.t0, erased: ["body"] })
      yield* settle
      assert.deepStrictEqual(yield* expired, ids(1))
      assert.deepStrictEqual(yield* (yield* Retention).removals({ after: null, limit: 9 }), [])
      const states = yield* (yield* Projections).states
      assert.isFalse([...states.values()].some(({ stopped }) => stopped))
    }).pipe(Effect.provide(layer))
  )

  it.live("returns expired requests in the order of time, page by page", () =>
    Effect.gen(function* () {
      const { expired } = yield* Retention
      const idAt = (millis: number) =>
        RequestId.make(makeTimeOrdered({ millis, counter: 4_095, random: new Uint8Array(10).fill(63) }))
      const store = yield* EventStore
      for (const millis of [3, 1, 2]) {
        yield* store.append({
          stream: StreamName.make("InferenceRequest", idAt(Log.t0 + millis)),
          expected: ExpectedVersion.NoStream,
          events: [{ id: `end-${millis}`, type: "RequestCompleted", time: Log.t0 + 99, data: {} }]
        })
      }
      yield* ReadSide.settle("retention")
      const upTo = (createdBefore: number, after: number | null, limit = 9) =>
        expired({
          createdBefore: Log.t0 + createdBefore,
          after: after === null ? null : idAt(Log.t0 + after),
          limit
        })
      assert.deepStrictEqual(yield* upTo(1, null), [])
      assert.deepStrictEqual(yield* upTo(3, null), [idAt(Log.t0 + 1), idAt(Log.t0 + 2)])
      assert.deepStrictEqual(yield* upTo(4, null, 1), [idAt(Log.t0 + 1)])
      assert.deepStrictEqual(yield* upTo(4, 1), [idAt(Log.t0 + 2), idAt(Log.t0 + 3)])
    }).pipe(Effect.provide(layer))
  )

  it.live("tracks an erased account and its requests until all are erased", () =>
    Effect.gen(function* () {
      const retention = yield* Retention
      yield* Log.append(1, Log.submitted(Log.alice, Log.echo, Log.t0 + 1), Log.completed(1))
      yield* Log.append(2, Log.submitted(Log.alice, Log.echo, Log.t0 + 1), Log.completed(1), erased(false))
      yield* Log.append(3, Log.submitted(Log.bob, Log.echo, Log.t0 + 2), Log.completed(1))
      yield* Log.append(4, Log.submitted(Log.alice, Log.echo, Log.t0 + 3))
      yield* Log.append(5, Log.submitted(Log.alice, Log.echo, Log.t0 + 4), Log.completed(1))
      yield* appendTo(Log.alice, { _tag: "AccountErased", at: Log.t0 + 7 })
      yield* settle
      assert.deepStrictEqual(yield* retention.accounts, [{ accountId: Log.alice, erasedAt: Log.t0 + 7 }])
      const completed = yield* retention.ofAccount({
        accountId: Log.alice,
        after: startOf("COMPLETED"),
        limit: 2
      })
      assert.deepStrictEqual(
        completed.map(({ isErasable, requestId }) => [requestId, isErasable]),
        [
          [Log.requestId(1), true],
          [Log.requestId(2), false]
        ]
      )
      const [, second] = completed
      if (second === undefined) return assert.fail("no second request")
      const rest = yield* retention.ofAccount({ accountId: Log.alice, after: second, limit: 2 })
      assert.deepStrictEqual(
        rest.map(({ requestId }) => requestId),
        ids(5)
      )
      yield* appendTo(Log.alice, { _tag: "AccountErasureFinished", at: Log.t0 + 9 })
      yield* settle
      assert.deepStrictEqual(yield* retention.accounts, [])
    }).pipe(Effect.provide(layer))
  )

  it.live("reads only keys and indexes", () =>
    Effect.gen(function* () {
      const sql = yield* ReadModels
      assert.deepStrictEqual(yield* stepsOf(Queries.expired(sql, { after: "a", before: "b", limit: 5 })), [
        "SEARCH retention_requests USING PRIMARY KEY (request_id>? AND request_id<?)"
      ])
      assert.deepStrictEqual(yield* stepsOf(Queries.removals(sql, { after: "a", limit: 5 })), [
        "SEARCH retention_removals USING PRIMARY KEY (request_id>?)"
      ])
      const ofAccount = { accountId: Log.alice, after: startOf("COMPLETED"), limit: 5 }
      const steps = (yield* stepsOf(Queries.ofAccount(sql, ofAccount))).join("\n")
      assert.notInclude(steps, "TEMP B-TREE")
      assert.notInclude(steps, "SCAN listed")
      assert.include(steps, "SEARCH kept USING PRIMARY KEY")
    }).pipe(Effect.provide(layer))
  )
})
