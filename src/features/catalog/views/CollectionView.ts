/** Collections and search results (decisions, "Platform routes"). */
import { Schema } from "effect"
import type { ListedCollection } from "../CatalogContents.ts"
import * as ListingView from "./ListingView.ts"
import * as ListView from "#src/platform/views/ListView.ts"

const example = {
  slug: "getting-started",
  name: "Getting started",
  description: "Models that run without a GPU."
}

const fields = { slug: Schema.String, name: Schema.String, description: Schema.String }

const CollectionBody = Schema.Struct(fields).annotate({
  identifier: "Collection",
  description: "A curated list.",
  examples: [example]
})

export const DetailedBody = Schema.Struct({
  ...fields,
  models: Schema.Array(ListingView.ListedBody).annotate({
    description: "Models and wrappers in the order of the list, without those that are no longer offered."
  })
}).annotate({
  identifier: "CollectionWithModels",
  description: "A curated list with its models and wrappers.",
  examples: [{ ...example, models: [ListingView.modelExample] }]
})

export const ListBody = ListView.bodyOf(CollectionBody).annotate({
  identifier: "Collections",
  description: "A page of the collections.",
  examples: [{ page: 1, limit: 20, total: 1, totalPages: 1, data: [example], next: null }]
})

export const SearchBody = Schema.Struct({
  query: Schema.String.annotate({ description: "The query as sent." }),
  models: Schema.Array(ListingView.ModelBody),
  wrappers: Schema.Array(ListingView.WrapperBody),
  collections: Schema.Array(CollectionBody)
}).annotate({
  identifier: "SearchResults",
  description: "The results of each kind, best first.",
  examples: [{ query: "ecko", models: [ListingView.modelExample], wrappers: [], collections: [example] }]
})

export const record = ({ collection: { slug, name, description } }: ListedCollection) => ({
  slug,
  name,
  description
})
