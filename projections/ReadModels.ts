/**
 * The connection that queries read the projections' rows through: read-only, on the calling thread. A statement that begins
 * after a rebuilt file has taken over reads that one.
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

/** Decodes the rows of a statement. Rows that are not what their projection writes are a bug, hence a defect. */
export const rows = <Row extends Schema.ConstraintDecoder<unknown>>(row: Row) => {
  const decode = Schema.decodeUnknownSync(Schema.Array(row))
  return <E>(
    statement: Effect.Effect<ReadonlyArray<unknown>, E>
  ): Effect.Effect<ReadonlyArray<Row["Type"]>, E> => Effect.map(statement, (found) => decode(found))
}
