/** JSON texts of what the catalog lists, made once for each item of a revision: the body of a list joins them. */
import { Effect } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { Listed } from "#src/features/catalog/CatalogContents.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import * as ListingView from "#src/features/catalog/views/ListingView.ts"
import { memoize } from "#src/kernel/async/Memoize.ts"

/** Stored for as long as the item, which is a new object in each revision. */
export const make = <A extends object>(view: (item: A) => JsonObject): ((item: A) => string) =>
  memoize((item) => JsonText.write(view(item)))

/** Of models and wrappers, with the current expectations of their runs. */
export const listings = Effect.map(Expectations, (expectations) => {
  const textOf = make(ListingView.record)
  return (listed: Listed): string => {
    const { endpoint } = ListingView.partsOf(listed).shown
    const expected = JSON.stringify(ListingView.expected(expectations.of(endpoint)))
    return `${textOf(listed).slice(0, -1)},"expected":${expected}}`
  }
})
