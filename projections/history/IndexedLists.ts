/**
 * Lists in the order of an index of requests, with counters. What the counters of hours do not cover is skipped and counted
 * in strides.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { rows, totalOf } from "../ReadModels.ts"
import { type FoundList, items, pageKeys } from "./FoundList.ts"
import type { Filter, Part, PageKey } from "./HistoryFilter.ts"
import * as Queries from "./HistoryQueries.ts"
import type * as FairQueue from "./FairQueue.ts"
import * as WholeHours from "./WholeHours.ts"

/** The most entries that are skipped without the help of counters. */
const maxSkipped = 1_000

/** The number of entries that one statement skips or counts: a few ms. */
const defaultStride = 5_000

export const make = (sql: SqlClient, queue: FairQueue.FairQueue, stride = defaultStride) => {
  const stepOn = (filter: Filter, after: PageKey | null): Effect.Effect<PageKey | null, SqlError> =>
    Effect.map(
      queue.run(filter.accountId)(pageKeys(Queries.keyBehind(sql, filter, { after, steps: stride }))),
      ([key]) => key ?? null
    )

  const countList = Effect.fnUntraced(function* (list: Filter) {
    let after: PageKey | null = null
    for (let counted = 0; ; counted += stride) {
      const next: PageKey | null = yield* stepOn(list, after)
      if (next === null) {
        return counted + (yield* totalOf(Queries.countEntries(sql, list, { after, limit: stride })))
      }
      after = next
    }
  })

  /** A small number is counted by one statement. */
  const countEntries = Effect.fnUntraced(function* (filter: Filter) {
    const few = yield* totalOf(Queries.countEntries(sql, filter, { after: null, limit: stride }))
    if (few < stride) return few
    // Each list in its own order, so that nothing has to be merged.
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

  /** The same part, starting in the hour that contains it, so that only requests of that hour are skipped. */
  const leap = Effect.fnUntraced(function* (filter: Filter, part: Part) {
    const { edges, whole } = WholeHours.of(filter)
    if (part.offset <= maxSkipped || whole === null) return { filter, part }
    // The number of requests newer than all whole hours.
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
    Effect.fnUntraced(function* (requested: Part) {
      const leapt = yield* leap(filter, requested)
      let { after, offset } = leapt.part
      for (; offset >= stride; offset -= stride) {
        after = yield* stepOn(leapt.filter, after)
        if (after === null) return []
      }
      return yield* items(Queries.pageOf(sql, leapt.filter, { ...requested, after, offset }))
    })

  return (filter: Filter): Effect.Effect<FoundList, SqlError> =>
    Effect.map(countOf(filter), (total) => ({ total, items: itemsOf(filter) }))
}

const hours = rows(Schema.Struct({ hour: Schema.Int, newer: Schema.Int }))
