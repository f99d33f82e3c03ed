/** Only the delivery tables, writable and filled without a log: more rows than a log could supply in time. */
import { Effect, Layer } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { AccountId } from "#domain/Ids.ts"
import * as DeliveriesProjection from "#projections/deliveries/DeliveriesProjection.ts"
import { DueDeliveries } from "#projections/deliveries/DueDeliveries.ts"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import * as SqliteClient from "#streams/SqliteClient.ts"
import { t0 } from "#test/support/projections/RequestLog.ts"

const createTables = Effect.gen(function* () {
  const sql = yield* ReadModels
  const tables = DeliveriesProjection.projection.tables + DueWorkProjection.projection.tables
  for (const statement of tables.split(";")) {
    if (statement.trim() !== "") yield* sql.unsafe(statement)
  }
})

export const layer = Layer.effectDiscard(createTables).pipe(
  Layer.provideMerge(DueDeliveries.layer),
  Layer.provideMerge(
    Layer.effect(ReadModels, SqliteClient.make({ filename: ":memory:", synchronous: "NORMAL" }))
  ),
  Layer.provide(Reactivity.layer)
)

export interface Waiting {
  readonly account: number
  readonly receiver: number
  readonly dueAt: number
}

export const accountOf = (number: number) => AccountId.make(`acc_${String(number).padStart(5, "0")}`)
export const originOf = (number: number) => `https://r${number}.example`

/** Replaces all rows by pending deliveries, numbered from 0 (`DeliveryLog.deliveryId`). */
export const fill = Effect.fnUntraced(function* (waiting: ReadonlyArray<Waiting>) {
  const sql = yield* ReadModels
  const tables = ["deliveries", "lanes", "accounts", "origins"]
  for (const table of tables) yield* sql.unsafe(`DELETE FROM deliveries_${table}`)
  const rows = waiting.map(({ account, receiver, dueAt }) => [accountOf(account), originOf(receiver), dueAt])
  yield* sql`INSERT INTO deliveries_deliveries
    SELECT printf('msg_%022d', key), value ->> 0, printf('rq%019d', key), 'completed', value ->> 1, value ->> 1, ${t0},
      'pending', 0, NULL, NULL, value ->> 2, NULL, ${t0}, NULL, 0
    FROM json_each(${JSON.stringify(rows)})`
  yield* sql`INSERT INTO deliveries_lanes
    SELECT account_id, origin, min(next_attempt_at) FROM deliveries_deliveries GROUP BY account_id, origin`
  for (const [table, key] of [
    ["accounts", "account_id"],
    ["origins", "origin"]
  ] as const) {
    yield* sql.unsafe(
      `INSERT INTO deliveries_${table} SELECT ${key}, min(next_at) FROM deliveries_lanes GROUP BY ${key}`
    )
  }
})
