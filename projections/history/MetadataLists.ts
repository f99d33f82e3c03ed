/**
 * Lists of requests with given metadata. There are no counters for what clients make up: entries are counted, and stepped
 * over, some thousands at a time, with everybody else's turn in between.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { rows } from "../ReadModels.ts"
import { type FoundList, items, totalOf } from "./FoundList.ts"
import type { Filter, Part, Place } from "./HistoryFilter.ts"
import { statusesOf } from "./HistoryQueries.ts"
import * as Queries from "./MetadataQueries.ts"

/** Requests that are gone through in one go: a few ms. */
const usualStride = 10_000

export const make = (sql: SqlClient, stride = usualStride) => {
  /** The entry of metadata that the fewest have, then the others. */
  const rarestFirst = Effect.fnUntraced(function* (
    filter: Filter,
    walk: Queries.Walk
  ): Effect.fn.Return<Queries.Walk, SqlError> {
    if (walk.length === 1) return walk
    const counted = yield* frequencies(Queries.frequencies(sql, filter, walk))
    const [rarest] = counted.toSorted((a, b) => a.requests - b.requests)
    const entry = walk[rarest?.index ?? 0] ?? walk[0]
    return [entry, ...walk.filter((other) => other !== entry)]
  })

  /** The place that is `stride` behind `after`; `null` when there are fewer. */
  const stepOn = Effect.fnUntraced(function* (filter: Filter, walk: Queries.Walk, after: Place | null) {
    yield* Effect.yieldNow
    const [place] = yield* places(Queries.placeBehind(sql, filter, walk, { after, steps: stride }))
    return place ?? null
  })

  const countOfStatus = Effect.fnUntraced(function* (filter: Filter, walk: Queries.Walk) {
    let counted = 0
    let after: Place | null = null
    while (true) {
      const place: Place | null = yield* stepOn(filter, walk, after)
      if (place === null) break
      counted += stride
      after = place
    }
    return counted + (yield* totalOf(Queries.count(sql, filter, walk, { after, limit: stride })))
  })

  /** Few are counted at once. */
  const countOf = Effect.fnUntraced(function* (filter: Filter, walk: Queries.Walk) {
    const few = yield* totalOf(Queries.count(sql, filter, walk, { after: null, limit: stride }))
    if (few < stride) return few
    const counts = yield* Effect.forEach(statusesOf(filter), (status) =>
      countOfStatus({ ...filter, status }, walk)
    )
    return counts.reduce((sum, count) => sum + count, 0)
  })

  const itemsOf = (filter: Filter, walk: Queries.Walk) =>
    Effect.fnUntraced(function* (part: Part) {
      let { after, offset } = part
      for (; offset >= stride; offset -= stride) {
        after = yield* stepOn(filter, walk, after)
        if (after === null) return []
      }
      return yield* items(Queries.pageOf(sql, filter, walk, { ...part, after, offset }))
    })

  return Effect.fnUntraced(function* (
    filter: Filter,
    asked: Queries.Walk
  ): Effect.fn.Return<FoundList, SqlError> {
    const walk = yield* rarestFirst(filter, asked)
    return { total: yield* countOf(filter, walk), items: itemsOf(filter, walk) }
  })
}

const frequencies = rows(Schema.Struct({ index: Schema.Int, requests: Schema.Int }))
const places = rows(Schema.Struct({ createdAt: Schema.Int, requestId: Schema.String }))
