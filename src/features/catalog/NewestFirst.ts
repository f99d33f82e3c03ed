/** The order of lists: by first publication, newest first, then by name. */
import { memoize } from "#src/kernel/async/Memoize.ts"
import * as Ranks from "./search/Rank.ts"
import type { Found } from "./search/SearchIndex.ts"

/** Each list is sorted once. */
export const newestFirst = <A extends { readonly createdAt: number }>(nameOf: (item: A) => string) =>
  memoize((items: ReadonlyArray<A>): ReadonlyArray<Found<A>> =>
    items
      .map((item) => ({ item, rank: Ranks.newestFirst(item.createdAt, nameOf(item)) }))
      .sort((a, b) => Ranks.order(a.rank, b.rank))
      .map(({ item, rank }) => ({ item, rank: () => rank }))
  )
