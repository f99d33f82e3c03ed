/**
 * Lists of requests with given metadata. There are no counters for what clients make up: all that have one entry of it are
 * gone through, in slices, and what else is asked for is looked up for each. Few or many of them may have it.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { rows } from "../ReadModels.ts"
import { type FoundList, items, places, totalOf } from "./FoundList.ts"
import { type Entry, type Filter, isBehind, type Part, type Slice } from "./HistoryFilter.ts"
import * as Queries from "./MetadataQueries.ts"
import type * as FairQueue from "./FairQueue.ts"

/** The first slice is short, and each has up to twice as many as the one before: what few have is soon at its end. */
const shortest = 100

/** Entries of a slice from the list of each status, at most: with those that are looked up for them, some ms. */
const usualStride = 2_000

/** A slice, and how many of it the filter lets through. */
interface Counted {
  readonly slice: Slice
  readonly total: number
}

export const make = (sql: SqlClient, queue: FairQueue.FairQueue, stride = usualStride) => {
  /** The one behind `last`. */
  const sliceBehind = Effect.fnUntraced(function* (
    filter: Filter,
    entry: Entry,
    last: Slice | undefined,
    round: number
  ) {
    const after = last?.until ?? null
    const steps = Math.min(stride, shortest * 2 ** round)
    const [until = null] = yield* queue.run(filter.accountId)(
      places(Queries.endOfSlice(sql, filter, entry, { after, steps }))
    )
    return { after, until }
  })

  /** All slices of that entry which is first at its end, hence about the rarest; then the others. */
  const divide = Effect.fnUntraced(function* (filter: Filter, [first, ...others]: Queries.Walk) {
    const divided = [first, ...others].map((entry) => ({ entry, slices: new Array<Slice>() }))
    for (let round = 0; ; round++) {
      for (const { entry, slices } of divided) {
        const slice: Slice = yield* sliceBehind(filter, entry, slices.at(-1), round)
        slices.push(slice)
        if (slice.until !== null) continue
        const rest = divided.flatMap((other) => (other.entry === entry ? [] : [other.entry]))
        const walk: Queries.Walk = [entry, ...rest]
        return { walk, slices }
      }
    }
  })

  const countOf = (filter: Filter, walk: Queries.Walk, slice: Slice): Effect.Effect<number, SqlError> =>
    queue.run(filter.accountId)(totalOf(Queries.count(sql, filter, walk, slice)))

  const itemsOf = (filter: Filter, walk: Queries.Walk, counted: ReadonlyArray<Counted>) =>
    Effect.fnUntraced(function* ({ after, limit, offset }: Part) {
      const ids: Array<string> = []
      let left = offset
      for (const { slice, total } of counted) {
        if (ids.length === limit) break
        if (total === 0 || isBefore(slice, after)) continue
        const isWhole = after === null || (slice.after !== null && !isBehind(after, slice.after))
        const part = isWhole ? slice : { ...slice, after }
        const there = isWhole ? total : yield* countOf(filter, walk, part)
        if (left >= there) {
          left -= there
          continue
        }
        const shown = { limit: limit - ids.length, offset: left }
        const more = yield* queue.run(filter.accountId)(
          requests(Queries.requestsOf(sql, filter, walk, part, shown))
        )
        ids.push(...more.map(({ requestId }) => requestId))
        left = 0
      }
      return ids.length === 0 ? [] : yield* items(Queries.rowsOf(sql, ids))
    })

  return Effect.fnUntraced(function* (
    filter: Filter,
    asked: Queries.Walk
  ): Effect.fn.Return<FoundList, SqlError> {
    const { slices, walk } = yield* divide(filter, asked)
    const counted = yield* Effect.forEach(slices, (slice) =>
      Effect.map(countOf(filter, walk, slice), (total) => ({ slice, total }))
    )
    return {
      total: counted.reduce((sum, { total }) => sum + total, 0),
      items: itemsOf(filter, walk, counted)
    }
  })
}

/** Nothing of it lies behind the place. */
const isBefore = ({ until }: Slice, place: Part["after"]): boolean =>
  place !== null && until !== null && !isBehind(until, place)

const requests = rows(Schema.Struct({ requestId: Schema.String }))
