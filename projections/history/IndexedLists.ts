/**
 * Lists that the indexes of requests are in the order of, with counters beside them. What the counters of hours do not tell
 * is stepped over and counted in strides.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { rows } from "../ReadModels.ts"
import { type FoundList, items, places, totalOf } from "./FoundList.ts"
import type { Filter, Part, PageKey } from "./HistoryFilter.ts"
import * as Queries from "./HistoryQueries.ts"
import type * as FairQueue from "./FairQueue.ts"
import * as WholeHours from "./WholeHours.ts"

/** What is stepped over one by one; counters lead to what lies behind more. */
const fewSteps = 1_000

/** Entries that are stepped over, or counted, at once: a few ms. */
const usualStride = 5_000

export const make = (sql: SqlClient, queue: FairQueue.FairQueue, stride = usualStride) => {
  const stepOn = (filter: Filter, after: PageKey | null): Effect.Effect<PageKey | null, SqlError> =>
    Effect.map(
      queue.run(filter.accountId)(places(Queries.placeBehind(sql, filter, { after, steps: stride }))),
      ([place]) => place ?? null
    )

  const countList = Effect.fnUntraced(function* (list: Filter) {
    let after: PageKey | null = null
    for (let counted = 0; ; counted += stride) {
      const place: PageKey | null = yield* stepOn(list, after)
      if (place === null) {
        return counted + (yield* totalOf(Queries.countEntries(sql, list, { after, limit: stride })))
      }
      after = place
    }
  })

  /** Few are counted at once. */
  const countEntries = Effect.fnUntraced(function* (filter: Filter) {
    const few = yield* totalOf(Queries.countEntries(sql, filter, { after: null, limit: stride }))
    if (few < stride) return few
    // Each in its own order: nothing has to be merged.
    const counts = yield* Effect.forEach(Queries.listsOf(filter), countList)
    return counts.reduce((sum, count) => sum + count, 0)
  })

  const countOf = Effect.fnUntraced(function* (filter: Filter) {
    if (filter.createdAfter === undefined && filter.createdBefore === undefined) {
      return yield* totalOf(Queries.sumCounters(sql, filter))
    }
    const { edges, whole } = WholeHours.of(filter)
    let total = whole === null ? 0 : yield* totalOf(Queries.sumHours(sql, filter, whole))
    for (const edge of edges) total += yield* countEntries({ ...filter, ...edge })
    return total
  })

  /** The same part, begun in the hour that it is in: only what was created in that one is stepped over. */
  const leap = Effect.fnUntraced(function* (filter: Filter, part: Part) {
    const { edges, whole } = WholeHours.of(filter)
    if (part.offset <= fewSteps || whole === null) return { filter, part }
    // What is newer than all whole hours.
    const edge = filter.createdBefore === undefined ? undefined : edges.at(-1)
    const newer = edge === undefined ? 0 : yield* countEntries({ ...filter, ...edge })
    const [found] = yield* hours(Queries.hourAt(sql, filter, whole, part.offset - newer))
    return found === undefined
      ? { filter, part }
      : {
          filter: { ...filter, createdBefore: Queries.upTo(found.hour) },
          part: { ...part, offset: part.offset - newer - found.newer }
        }
  })

  const itemsOf = (filter: Filter) =>
    Effect.fnUntraced(function* (asked: Part) {
      const leapt = yield* leap(filter, asked)
      let { after, offset } = leapt.part
      for (; offset >= stride; offset -= stride) {
        after = yield* stepOn(leapt.filter, after)
        if (after === null) return []
      }
      return yield* items(Queries.pageOf(sql, leapt.filter, { ...asked, after, offset }))
    })

  return (filter: Filter): Effect.Effect<FoundList, SqlError> =>
    Effect.map(countOf(filter), (total) => ({ total, items: itemsOf(filter) }))
}

const hours = rows(Schema.Struct({ hour: Schema.Int, newer: Schema.Int }))
