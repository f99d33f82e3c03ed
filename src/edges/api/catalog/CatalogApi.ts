/** What can be run (decisions, "Platform routes"). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Category } from "#domain/catalog/Model.ts"
import { longestQuery } from "#src/features/catalog/CatalogSearch.ts"
import { usualLimit } from "#src/edges/http/requests/PageQuery.ts"
import * as CollectionView from "#src/features/catalog/views/CollectionView.ts"
import * as ListingView from "#src/features/catalog/views/ListingView.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as ModelParameters from "#src/edges/http/api/ModelParameters.ts"
import { answers, conditional, errors, ofOne } from "#src/edges/http/api/PublicResponses.ts"
import { OpenToAnyOrigin, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"

const filters = {
  search: ListParameters.text("What has these words, best first; one wrong letter is forgiven."),
  category: ListParameters.text("Of this category only."),
  status: ListParameters.text("Of this status only.")
}

const forms = ListParameters.withForms({
  ...ListParameters.pageForms(usualLimit),
  search: { maxLength: longestQuery },
  category: { enum: [...Category.literals] },
  status: { enum: [...ListingView.statuses] }
})

const newestFirst =
  "Newest first, or best first when searched. Pages by `cursor` neither miss nor repeat one, whatever is published in between."

const models = HttpApiEndpoint.get("listModels", "/models", {
  query: { ...filters, ...ListParameters.page },
  headers: conditional,
  success: answers(ListingView.ModelsBody),
  error: errors
}).annotateMerge(
  OpenApi.annotations({
    identifier: "listModels",
    summary: "List models",
    description: newestFirst,
    transform: forms
  })
)

const model = HttpApiEndpoint.get("getModel", "/models/:ownerName/:modelName", {
  params: ModelParameters.ofModel,
  headers: conditional,
  success: answers(ListingView.ListedBody),
  error: ofOne
}).annotateMerge(
  OpenApi.annotations({
    identifier: "getModel",
    summary: "One model",
    description: "Or a wrapper, which runs like one: `kind` tells which."
  })
)

const schema = HttpApiEndpoint.get("getModelSchema", "/models/:ownerName/:modelName/schema", {
  params: ModelParameters.ofModel,
  headers: conditional,
  success: answers(ListingView.SchemaBody),
  error: ofOne
}).annotateMerge(
  OpenApi.annotations({
    identifier: "getModelSchema",
    summary: "Its input and output",
    description: "Of a wrapper its own input, and the output of its base model."
  })
)

const wrappers = HttpApiEndpoint.get("listWrappers", "/wrappers", {
  query: { ...filters, ...ListParameters.page },
  headers: conditional,
  success: answers(ListingView.WrappersBody),
  error: errors
}).annotateMerge(
  OpenApi.annotations({
    identifier: "listWrappers",
    summary: "List wrappers",
    description: `Products on models: a template makes the model's input out of a simpler one. ${newestFirst}`,
    transform: forms
  })
)

const wrapper = HttpApiEndpoint.get("getWrapper", "/wrappers/:ownerName/:modelName", {
  params: ModelParameters.ofWrapper,
  headers: conditional,
  success: answers(ListingView.WrapperBody),
  error: ofOne
}).annotateMerge(
  OpenApi.annotations({
    identifier: "getWrapper",
    summary: "One wrapper",
    description: "With the model that runs, and the template. It is run at `POST /{owner}/{wrapper}`."
  })
)

const wrapperSchema = HttpApiEndpoint.get("getWrapperSchema", "/wrappers/:ownerName/:modelName/schema", {
  params: ModelParameters.ofWrapper,
  headers: conditional,
  success: answers(ListingView.SchemaBody),
  error: ofOne
}).annotateMerge(
  OpenApi.annotations({
    identifier: "getWrapperSchema",
    summary: "A wrapper's input and output",
    description: "As of `/models/{owner}/{wrapper}/schema`."
  })
)

const collections = HttpApiEndpoint.get("listCollections", "/collections", {
  query: ListParameters.page,
  headers: conditional,
  success: answers(CollectionView.ListBody),
  error: errors
}).annotateMerge(
  OpenApi.annotations({
    identifier: "listCollections",
    summary: "List collections",
    description: "Curated lists of models and wrappers, newest first.",
    transform: ListParameters.withForms(ListParameters.pageForms(usualLimit))
  })
)

const collection = HttpApiEndpoint.get("getCollection", "/collections/:slug", {
  params: { slug: Schema.String.annotate({ description: "Its name in URLs." }) },
  headers: conditional,
  success: answers(CollectionView.DetailedBody),
  error: ofOne
}).annotateMerge(
  OpenApi.annotations({
    identifier: "getCollection",
    summary: "One collection",
    description: "With its models and wrappers, in its order."
  })
)

const search = HttpApiEndpoint.get("searchCatalog", "/search", {
  query: {
    query: ListParameters.text("Words, in any order. Must be given."),
    limit: ListParameters.text("Of each kind.")
  },
  headers: conditional,
  success: answers(CollectionView.SearchBody),
  error: errors
}).annotateMerge(
  OpenApi.annotations({
    identifier: "searchCatalog",
    summary: "Search models, wrappers and collections",
    description:
      "By name, tags, category and description. Beginnings and parts of words are found, and words of four letters and more with one wrong, missing, added or swapped letter. What has all words is found, or else what has most of them.",
    transform: ListParameters.withForms({
      query: { minLength: 1, maxLength: longestQuery },
      limit: ListParameters.pageForms(usualLimit)["limit"] ?? {}
    })
  })
)

export class CatalogApi extends HttpApiGroup.make("catalog")
  .add(models, model, schema, wrappers, wrapper, wrapperSchema, collections, collection, search)
  .annotate(ServedOn, ["platform"])
  .annotate(OpenToAnyOrigin, true)
  .annotateMerge(
    OpenApi.annotations({
      title: "Catalog",
      description: "What can be run, for everybody: no key is asked for."
    })
  ) {}
