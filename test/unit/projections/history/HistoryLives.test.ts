/** For any life of a request, the rows agree with what clients see (`FromHistory`). */
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Schema, Stream } from "effect"
import * as fc from "fast-check"
import type { Event } from "#domain/inference-request/Event.ts"
import { evolve, initial, type State } from "#domain/inference-request/State.ts"
import { status } from "#domain/inference-request/Status.ts"
import { projection } from "#projections/history/HistoryProjection.ts"
import * as HistoryChanges from "#projections/history/HistoryChanges.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { life, play } from "#test/support/domain/inference-request/Lives.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { applyAll, cut } from "#test/support/projections/batch/Batch.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

/** A run that ends with its output ends the request in the same append, unless files must be stored. */
const isEnding = (event: Event): boolean =>
  event._tag === "OutputRejected" || (event._tag === "OutputReceived" && event.media === undefined)

/** The statuses of a request, in order. */
const statusesOf = (log: ReadonlyArray<Event>): ReadonlyArray<string> => {
  let state: State = initial
  const statuses = log.flatMap((event) => {
    state = evolve(state, event)
    return state._tag === "NotSubmitted" || isEnding(event) ? [] : [status(state)]
  })
  return Array.dedupeAdjacent(statuses)
}

const Row = Schema.Struct({ change_id: Schema.Int, status: Schema.String, latest: Schema.Int })
const decode = Schema.decodeUnknownSync(Schema.Array(Row))

/** The events of all requests interleaved; every other request has metadata. */
const interleaved = Effect.fnUntraced(function* (logs: ReadonlyArray<ReadonlyArray<Event>>) {
  const longest = Math.max(...logs.map((log) => log.length))
  for (let index = 0; index < longest; index++) {
    for (const [number, log] of logs.entries()) {
      const event = log[index]
      const metadata = number % 2 === 0 ? {} : { team: "blue", order: String(number % 5) }
      if (event !== undefined) {
        yield* Log.append(number, event._tag === "RequestSubmitted" ? { ...event, metadata } : event)
      }
    }
  }
})

/** Compares statements that return the same facts from different tables. */
const agreements = [
  [
    "SELECT account_id, model, status, requests FROM history_counters ORDER BY 1, 2, 3",
    "SELECT account_id, model, status, count(*) AS requests FROM history_requests GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
  ],
  [
    "SELECT account_id, model, status, hour, requests FROM history_hours ORDER BY 1, 2, 3, 4",
    `SELECT account_id, model, status, created_at / 3600000 AS hour, count(*) AS requests FROM history_requests
      GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`
  ],
  [
    "SELECT request_id, key, value, account_id, status, created_at, model FROM history_metadata ORDER BY 1, 2",
    `SELECT request_id, key, value, account_id, status, created_at, model
      FROM history_requests, json_each(metadata) ORDER BY 1, 2`
  ]
] as const

const assertAgree = (filename: string): void => {
  using db = new DatabaseSync(filename, { readOnly: true })
  for (const [one, other] of agreements) {
    const rows = db.prepare(one).all()
    assert.isNotEmpty(rows)
    assert.deepStrictEqual(rows, db.prepare(other).all())
  }
}

describe("Any life of a request", () => {
  it("has a change in history_changes for each status; a failure prints the seed", () =>
    fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 200, maxLength: 200 }), (lives) =>
        Effect.gen(function* () {
          const logs = lives.map((life) => play(life).log)
          for (const [number, [first, ...others]] of logs.entries()) {
            if (first !== undefined) yield* Log.append(number, first, ...others)
          }
          yield* ReadSide.settle("history")
          const sql = yield* ReadModels
          for (const [number, log] of logs.entries()) {
            const changes = decode(
              yield* sql`
              SELECT changes.change_id, changes.status, history_requests.change_id AS latest
              FROM (${sql.literal(HistoryChanges.of("history_changes"))}) AS changes
              JOIN history_requests USING (request_id)
              WHERE request_id = ${Log.requestId(number)} ORDER BY 1`
            )
            assert.deepStrictEqual(
              changes.map(({ status }) => status),
              statusesOf(log)
            )
            const last = changes.at(-1)
            assert.strictEqual(last?.latest, last?.change_id)
          }
        }).pipe(Effect.provide(ReadSide.layer), Effect.runPromise)
      ),
      { numRuns: 1, endOnFailure: true }
    ))

  it("leaves the same rows wherever the log is divided, and consistent counters; a failure prints the seed", () =>
    fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 80, maxLength: 80 }), (lives) =>
        Effect.gen(function* () {
          const directory = yield* TempDirectory.make
          yield* interleaved(lives.map((life) => play(life).log))
          const reader = yield* EventReader
          const events = yield* Stream.runCollect(reader.readAll(GlobalPosition.beginning))
          const rowsOf = (size: number) => {
            const filename = `${directory}/${size}.sqlite`
            assert.deepStrictEqual(applyAll(filename, [projection], cut(events, size)), [])
            return { filename, rows: ReadSide.dump(filename) }
          }
          const { filename, rows } = rowsOf(1)
          for (const size of [3, 50, events.length]) assert.deepStrictEqual(rowsOf(size).rows, rows)
          assertAgree(filename)
        }).pipe(Effect.scoped, Effect.provide(MemoryEventStore.layer), Effect.runPromise)
      ),
      { numRuns: 1, endOnFailure: true }
    ))
})
