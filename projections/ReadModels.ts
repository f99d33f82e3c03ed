/**
 * The read-only connection for queries on read models, on the calling thread. After a rebuilt file has replaced the current
 * one, the next statement reads the new file.
 */
import { Context, Effect, Layer, Schema } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as SqliteClient from "#streams/SqliteClient.ts"
import { Projections } from "./Projections.ts"
import * as Damage from "./runner/Damage.ts"

export class ReadModels extends Context.Service<ReadModels, SqlClient>()("inferlog/projections/ReadModels") {
  static readonly layer: Layer.Layer<ReadModels, SqlError, Projections> = Layer.effect(
    ReadModels,
    Effect.gen(function* () {
      const { filename, reportDamage } = yield* Projections
      return yield* SqliteClient.makeSwitching({
        filename,
        readOnly: true,
        synchronous: "NORMAL",
        onFailure: (cause, read) => {
          const reason = Damage.of(cause, read)
          if (reason !== null) reportDamage(read, reason)
        }
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))
}

/** Decodes the rows of a statement. Rows that do not decode are a bug of their projection, so decoding throws. */
export const rows = <Row extends Schema.ConstraintDecoder<unknown>>(row: Row) => {
  const decode = Schema.decodeUnknownSync(Schema.Array(row))
  return <E>(
    statement: Effect.Effect<ReadonlyArray<unknown>, E>
  ): Effect.Effect<ReadonlyArray<Row["Type"]>, E> => Effect.map(statement, (found) => decode(found))
}

const totals = rows(Schema.Struct({ total: Schema.Int }))

/** The `total` of a statement's first row. 0 without a row. */
export const totalOf = <E>(statement: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<number, E> =>
  Effect.map(totals(statement), ([row]) => row?.total ?? 0)
