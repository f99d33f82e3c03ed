/** `GET /collections`, and one of them with what is in it (decisions, "Platform routes"). */
import { Result, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { ListedCollection } from "#src/features/catalog/CatalogContents.ts"
import { newestFirst } from "#src/features/catalog/NewestFirst.ts"
import * as CollectionView from "#src/features/catalog/views/CollectionView.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import { answers, conditional, errors, ofOne } from "#src/edges/http/api/PublicResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as ItemTexts from "./ItemTexts.ts"
import { moving, ofItems, steady } from "./PublicAnswers.ts"
import * as PublicList from "./PublicList.ts"

export const textOf = ItemTexts.make(CollectionView.record)

const list = HttpApiEndpoint.get("listCollections", "/collections", {
  query: ListParameters.page,
  headers: conditional,
  success: answers(CollectionView.ListBody),
  error: errors
})
  .annotate(OpenApi.Summary, "List collections")
  .annotate(OpenApi.Description, "Curated lists of models and wrappers, newest first.")

const inOrder = newestFirst<ListedCollection>(({ collection }) => collection.slug)

export const listCollections = Route.prepared(
  list,
  PublicList.serve({
    cacheControl: steady,
    filter: () => Result.void,
    find: ({ collections }) => inOrder(collections),
    text: textOf
  })
)

const get = HttpApiEndpoint.get("getCollection", "/collections/:slug", {
  params: { slug: Schema.String.annotate({ description: "Its name in URLs." }) },
  headers: conditional,
  success: answers(CollectionView.DetailedBody),
  error: ofOne
})
  .annotate(OpenApi.Summary, "One collection")
  .annotate(OpenApi.Description, "With its models and wrappers, in its order.")

const unknownCollection = ErrorAnswer.notFound("Collection")

export const getCollection = Route.make(get, ofItems, function* ({ answers, catalog }, { params, request }) {
  const { byEndpoint, collections } = yield* catalog.current
  const listed = collections.find(({ collection }) => collection.slug === params.slug)
  if (listed === undefined) return yield* unknownCollection
  const models = listed.collection.models.flatMap((endpoint) => byEndpoint.get(endpoint) ?? [])
  const body = `${textOf(listed).slice(0, -1)},"models":[${models.map(answers.listing).join(",")}]}`
  return yield* answers.answer(request, body, moving)
})
