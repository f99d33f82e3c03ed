/** Searches models, wrappers and collections. */
import { Context, Effect, Layer } from "effect"
import type { Contents, Listed, ListedCollection, ListedModel, ListedWrapper } from "./CatalogContents.ts"
import type { Found, Searchable, SearchIndex } from "./search/SearchIndex.ts"
import * as Index from "./search/SearchIndex.ts"

/** Characters of a query. */
export const longestQuery = 200

const ofListed = (listed: Listed): Searchable => {
  const shown = listed.kind === "model" ? listed.model : listed.wrapper
  const { category, description, displayName, endpoint, recommended, tags } = shown
  return {
    name: endpoint,
    isDeprecated: listed.status === "deprecated",
    recommended,
    createdAt: listed.createdAt,
    names: [endpoint, endpoint.slice(endpoint.indexOf("/") + 1), displayName],
    texts: [`${endpoint} ${displayName}`, `${category} ${tags.join(" ")}`, description]
  }
}

const ofCollection = ({ collection, createdAt }: ListedCollection): Searchable => ({
  name: collection.slug,
  isDeprecated: false,
  recommended: undefined,
  createdAt,
  names: [collection.slug, collection.name],
  texts: [`${collection.slug} ${collection.name}`, "", collection.description]
})

/** An index of the contents that were last searched, made at the first search. */
const lastIndexed = <A>(
  itemsOf: (contents: Contents) => ReadonlyArray<A>,
  describe: (item: A) => Searchable
) => {
  let last: { readonly revision: string; readonly index: SearchIndex<A> } | null = null
  const close = () => {
    last?.index.close()
    last = null
  }
  const search = (contents: Contents, query: string): ReadonlyArray<Found<A>> => {
    if (last?.revision !== contents.revision) {
      close()
      last = { revision: contents.revision, index: Index.make(itemsOf(contents), describe) }
    }
    return last.index.search(query)
  }
  return { close, search }
}

/** Best first. */
type Search<A> = (contents: Contents, query: string) => ReadonlyArray<Found<A>>

export class CatalogSearch extends Context.Service<
  CatalogSearch,
  {
    readonly models: Search<ListedModel>
    readonly wrappers: Search<ListedWrapper>
    readonly collections: Search<ListedCollection>
  }
>()("inferlog/src/features/catalog/CatalogSearch") {
  static readonly layer = Layer.effect(
    CatalogSearch,
    Effect.gen(function* () {
      const models = lastIndexed(({ models }) => models, ofListed)
      const wrappers = lastIndexed(({ wrappers }) => wrappers, ofListed)
      const collections = lastIndexed(({ collections }) => collections, ofCollection)
      for (const { close } of [models, wrappers, collections]) {
        yield* Effect.addFinalizer(() => Effect.sync(close))
      }
      return CatalogSearch.of({
        models: models.search,
        wrappers: wrappers.search,
        collections: collections.search
      })
    })
  )
}
