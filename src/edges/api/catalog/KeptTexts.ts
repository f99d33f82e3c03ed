/** JSON of what the catalog shows, made once for each item of each of its revisions: a list is a join of these. */
import { Effect } from "effect"
import type { Listed } from "#src/features/catalog/CatalogContents.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import { memoize } from "#src/kernel/async/Memoize.ts"
import * as ListingView from "#src/features/catalog/views/ListingView.ts"

/** Kept for as long as the item itself, which is another one whenever the contents are. */
export const keptTexts = <A extends object>(view: (item: A) => object): ((item: A) => string) =>
  memoize((item) => JSON.stringify(view(item)))

/** Of models and wrappers, with what is expected of their runs just now. */
export const listings = Effect.map(Expectations, (expectations) => {
  const textOf = keptTexts(ListingView.record)
  return (listed: Listed): string => {
    const { endpoint } = ListingView.partsOf(listed).shown
    const expected = JSON.stringify(ListingView.expected(expectations.of(endpoint)))
    return `${textOf(listed).slice(0, -1)},"expected":${expected}}`
  }
})
