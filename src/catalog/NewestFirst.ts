/** Lists of the catalog as they are shown: newest first by when something was published for the first time, then by name. */
import * as Ranks from "./search/Rank.ts"
import type { Found } from "./search/SearchIndex.ts"

/** Each list of the contents is put in order once. */
export const newestFirst = <A extends { readonly createdAt: number }>(nameOf: (item: A) => string) => {
  const known = new WeakMap<ReadonlyArray<A>, ReadonlyArray<Found<A>>>()
  return (items: ReadonlyArray<A>): ReadonlyArray<Found<A>> => {
    const found = known.get(items)
    if (found !== undefined) return found
    const ranked = items
      .map((item) => ({ item, rank: Ranks.newestFirst(item.createdAt, nameOf(item)) }))
      .sort((a, b) => Ranks.order(a.rank, b.rank))
      .map(({ item, rank }) => ({ item, rank: () => rank }))
    known.set(items, ranked)
    return ranked
  }
}
