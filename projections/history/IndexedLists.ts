/** Lists that the indexes of requests are in the order of, with counters beside them. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { rows } from "../ReadModels.ts"
import { type FoundList, items, totalOf } from "./FoundList.ts"
import type { Filter, Part } from "./HistoryFilter.ts"
import * as Queries from "./HistoryQueries.ts"
import * as WholeHours from "./WholeHours.ts"

/** What is stepped over one by one; counters lead to what lies behind more. */
const fewSteps = 1_000

export const make = (sql: SqlClient) => {
  const countOf = (filter: Filter): Effect.Effect<number, SqlError> => {
    const isBounded = filter.createdAfter !== undefined || filter.createdBefore !== undefined
    return totalOf((isBounded ? Queries.countWithin : Queries.sumCounters)(sql, filter))
  }

  /** The same part, begun in the hour that it is in: only what was created in that one is stepped over. */
  const leap = Effect.fnUntraced(function* (filter: Filter, part: Part) {
    const { edges, whole } = WholeHours.of(filter)
    if (part.offset <= fewSteps || whole === null) return { filter, part }
    // What is newer than all whole hours.
    const edge = filter.createdBefore === undefined ? undefined : edges.at(-1)
    const newer = edge === undefined ? 0 : yield* countOf({ ...filter, ...edge })
    const [found] = yield* hours(Queries.hourAt(sql, filter, whole, part.offset - newer))
    return found === undefined
      ? { filter, part }
      : {
          filter: { ...filter, createdBefore: Queries.upTo(found.hour) },
          part: { ...part, offset: part.offset - newer - found.newer }
        }
  })

  return (filter: Filter): Effect.Effect<FoundList, SqlError> =>
    Effect.map(countOf(filter), (total) => ({
      total,
      items: (part) =>
        Effect.flatMap(leap(filter, part), (leapt) => items(Queries.pageOf(sql, leapt.filter, leapt.part)))
    }))
}

const hours = rows(Schema.Struct({ hour: Schema.Int, newer: Schema.Int }))
