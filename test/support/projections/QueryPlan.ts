/** Shows how SQLite would run a statement of a read model. */
import { Effect } from "effect"
import type { Statement } from "effect/sql/Statement"
import { ReadModels } from "#projections/ReadModels.ts"

/** The steps of its query plan, in order. */
export const stepsOf = Effect.fnUntraced(function* (statement: Statement<unknown>) {
  const sql = yield* ReadModels
  const [text, params] = statement.compile()
  const steps = yield* sql.unsafe<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${text}`, params)
  return steps.map(({ detail }) => detail)
})
