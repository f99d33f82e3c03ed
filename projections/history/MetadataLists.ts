/**
 * Lists of requests with given metadata. Clients choose metadata freely, so there are no counters: all requests with one of
 * the entries are visited in slices, and the other conditions are checked for each.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { rows, totalOf } from "../ReadModels.ts"
import { type FoundList, items, pageKeys } from "./FoundList.ts"
import { type Entry, type Filter, isBehind, type Part, type Slice } from "./HistoryFilter.ts"
import * as Queries from "./MetadataQueries.ts"
import type * as FairQueue from "./FairQueue.ts"

/** The length of the first slice. Each following slice is up to twice as long, so that a rare entry ends soon. */
const firstLength = 100

/** The most entries of a slice per status: some ms, including the entries that are looked up. */
const defaultStride = 2_000

/** A slice, and the number of its requests that match the filter. */
interface Counted {
  readonly slice: Slice
  readonly total: number
}

export const make = (sql: SqlClient, queue: FairQueue.FairQueue, stride = defaultStride) => {
  /** The slice after `last`. */
  const sliceBehind = Effect.fnUntraced(function* (
    filter: Filter,
    entry: Entry,
    last: Slice | undefined,
    round: number
  ) {
    const after = last?.until ?? null
    const steps = Math.min(stride, firstLength * 2 ** round)
    const [until = null] = yield* queue.run(filter.accountId)(
      pageKeys(Queries.endOfSlice(sql, filter, entry, { after, steps }))
    )
    return { after, until }
  })

  /** The slices of the entry that ends first, which is about the rarest, followed by the other entries. */
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
        const available = isWhole ? total : yield* countOf(filter, walk, part)
        if (left >= available) {
          left -= available
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
    entries: Queries.Walk
  ): Effect.fn.Return<FoundList, SqlError> {
    const { slices, walk } = yield* divide(filter, entries)
    const counted = yield* Effect.forEach(slices, (slice) =>
      Effect.map(countOf(filter, walk, slice), (total) => ({ slice, total }))
    )
    return {
      total: counted.reduce((sum, { total }) => sum + total, 0),
      items: itemsOf(filter, walk, counted)
    }
  })
}

/** Whether the whole slice comes before the key or at it. */
const isBefore = ({ until }: Slice, key: Part["after"]): boolean =>
  key !== null && until !== null && !isBehind(until, key)

const requests = rows(Schema.Struct({ requestId: Schema.String }))
