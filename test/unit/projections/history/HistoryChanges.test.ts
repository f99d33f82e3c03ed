/** The rows behind live lists. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { units } from "#domain/Money.ts"
import * as HistoryChanges from "#projections/history/HistoryChanges.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { stepsOf } from "#test/support/projections/QueryPlan.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const { t0, alice, bob, echo } = Log

const test = (name: string, body: Effect.Effect<void, unknown, ReadSide.Services>) =>
  it.live(name, () => Effect.provide(body, ReadSide.layer))

const Change = Schema.Struct({
  change_id: Schema.Int,
  account_id: Schema.String,
  request_id: Schema.String,
  status: Schema.String,
  position: Schema.String
})
const decode = Schema.decodeUnknownSync(Schema.Array(Change))

const changes = Effect.gen(function* () {
  yield* ReadSide.settle("history")
  const sql = yield* ReadModels
  return decode(
    yield* sql`
    SELECT change_id, account_id, request_id, status, position
    FROM (${sql.literal(HistoryChanges.of("history_changes"))}) ORDER BY change_id`
  )
})

describe("history_changes", () => {
  test(
    "has one row for each change of a status, in the order of the log",
    Effect.gen(function* () {
      const positions = [yield* Log.append(1, Log.submitted(alice, echo))]
      positions.push(yield* Log.append(2, Log.submitted(bob, echo)))
      yield* Log.append(1, Log.dispatched(1))
      positions.push(yield* Log.append(1, Log.started(1)))
      yield* Log.append(1, Log.requeued(1, t0 + 100), Log.dispatched(2), Log.started(2))
      positions.push(yield* Log.append(2, { _tag: "RequestCancelled", at: t0, reason: "requested" }))
      positions.push(yield* Log.append(1, Log.completed(2)))
      yield* Log.append(1, {
        _tag: "PayloadsErased",
        at: t0 + 1,
        reason: "requested",
        erased: [],
        hasFiles: false
      })
      const expected = [
        [alice, 1, "IN_QUEUE"],
        [bob, 2, "IN_QUEUE"],
        [alice, 1, "IN_PROGRESS"],
        [bob, 2, "CANCELLED"],
        [alice, 1, "COMPLETED"]
      ] as const
      assert.deepStrictEqual(
        yield* changes,
        expected.map(([account_id, number, status], index) => ({
          change_id: index + 1,
          account_id,
          request_id: Log.requestId(number),
          status,
          position: positions[index] ?? ""
        }))
      )
    })
  )

  test(
    "starts the progress of a run without a reported start at its output, if files must be stored",
    Effect.gen(function* () {
      const received = {
        _tag: "OutputReceived",
        at: t0,
        attempt: 1,
        delivered: units(1),
        payloads: { output: { hash: "hash", size: 2 } }
      } as const
      const media = [{ path: "/url", fileId: "file", thumbnailId: "thumbnail" }]
      yield* Log.append(1, Log.submitted(alice, echo), Log.dispatched(1), { ...received, media })
      yield* Log.append(2, Log.submitted(alice, echo), Log.dispatched(1), received, Log.completed(1))
      assert.deepStrictEqual(
        (yield* changes).map(({ status }) => status),
        ["IN_QUEUE", "IN_PROGRESS", "IN_QUEUE", "COMPLETED"]
      )
    })
  )

  test(
    "is referenced by each request, and an account's open ones are found in its order",
    Effect.gen(function* () {
      yield* Log.append(1, Log.submitted(alice, echo))
      yield* Log.append(2, Log.submitted(alice, echo))
      yield* Log.append(3, Log.submitted(alice, echo), {
        _tag: "RequestCancelled",
        at: t0,
        reason: "requested"
      })
      yield* Log.append(1, Log.dispatched(1), Log.started(1))
      yield* ReadSide.settle("history")
      const sql = yield* ReadModels
      const open = sql`SELECT request_id, change_id FROM history_requests INDEXED BY history_open
        WHERE account_id = ${alice} AND status IN ('IN_QUEUE', 'IN_PROGRESS') AND change_id <= ${1_000}
        ORDER BY change_id DESC`
      assert.deepStrictEqual(
        (yield* open).map((row) => ({ ...row })),
        [
          { request_id: Log.requestId(1), change_id: 5 },
          { request_id: Log.requestId(2), change_id: 2 }
        ]
      )
      assert.deepStrictEqual(yield* stepsOf(open), [
        "SEARCH history_requests USING INDEX history_open (account_id=? AND change_id<?)"
      ])
    })
  )
})
