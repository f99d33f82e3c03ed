/** A page of a list that is in memory, whose items have ranks: a cursor is the rank of the last item that was shown. */
import type { Rank } from "#src/features/catalog/search/Rank.ts"
import * as Ranks from "#src/features/catalog/search/Rank.ts"
import type { Found } from "#src/features/catalog/search/SearchIndex.ts"
import * as Cursor from "#src/edges/http/requests/Cursor.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"

export const paging = { cursor: Cursor.make(Ranks.Rank), defaultLimit: PageQuery.usualLimit }

/** The envelope of all lists as JSON. @param found in order. */
export const text = <A>(
  found: ReadonlyArray<Found<A>>,
  { after, limit, page }: PageQuery.AskedPage<Rank>,
  textOf: (item: A) => string
): string => {
  const begin = after === null ? (page - 1) * limit : beginAfter(found, after)
  const shown = found.slice(begin, begin + limit)
  const last = begin + limit < found.length ? shown.at(-1) : undefined
  const next = last === undefined ? null : paging.cursor.encode({ page: page + 1, after: last.rank() })
  const total = found.length
  const counts = JSON.stringify({ page, limit, total, totalPages: Math.ceil(total / limit) })
  const data = shown.map(({ item }) => textOf(item)).join(",")
  return `${counts.slice(0, -1)},"data":[${data}],"next":${JSON.stringify(next)}}`
}

const beginAfter = <A>(found: ReadonlyArray<Found<A>>, after: Rank): number => {
  const index = found.findIndex(({ rank }) => Ranks.order(rank(), after) > 0)
  return index < 0 ? found.length : index
}
