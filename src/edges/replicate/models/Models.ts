/** `GET …/models`, `QUERY …/models`, one model, its versions, and a model as a deployment. */
import { Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { CatalogContents, type Listed } from "#src/features/catalog/CatalogContents.ts"
import { CatalogSearch, longestQuery } from "#src/features/catalog/CatalogSearch.ts"
import { shownOf } from "#src/features/catalog/CatalogLists.ts"
import { newestFirst } from "#src/features/catalog/NewestFirst.ts"
import * as Rank from "#src/features/catalog/search/Rank.ts"
import { bestFirst } from "#src/features/catalog/search/SearchIndex.ts"
import { memoize } from "#src/kernel/async/Memoize.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as RequestRoute from "#src/edges/api/requests/RequestRoute.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import { issue } from "#src/edges/http/requests/Parsed.ts"
import type { Contents } from "#src/features/catalog/CatalogContents.ts"
import * as Pages from "../Pages.ts"
import * as Paths from "../Paths.ts"
import * as ReplicateErrors from "../ReplicateErrors.ts"
import * as ModelView from "./ModelView.ts"

const services = Effect.all({ catalog: CatalogContents, urls: PublicUrls })

const ModelsBody = Pages.bodyOf(ModelView.Model).annotate({
  identifier: "ReplicateModels",
  description: "A page of the models."
})

const list = HttpApiEndpoint.get("listReplicateModels", `${Paths.root}/models`, {
  query: { cursor: Pages.cursor },
  success: ModelsBody,
  error: ReplicateErrors.usual
})
  .annotate(OpenApi.Summary, "List models")
  .annotate(
    OpenApi.Description,
    "Models and wrappers, newest first. `QUERY` with words as the body searches them, best first."
  )

const paging = PageQuery.make(Rank.Rank)

const inOrder = newestFirst<Listed>((listed) => shownOf(listed).endpoint)

/** Once for each state of the catalog. */
const all = memoize(({ models, wrappers }: Contents) => inOrder([...models, ...wrappers]))

export const listModels = Route.make(list, services, function* ({ catalog, urls }, { query }) {
  const { after, limit, page } = yield* ErrorAnswer.orInvalid(paging.parse(query))
  const found = all(yield* catalog.current)
  const rest = after === null ? found : found.filter(({ rank }) => Rank.order(rank(), after) > 0)
  const shown = rest.slice(0, limit)
  const last = rest.length > limit ? shown.at(-1) : undefined
  const next = Pages.nextUrl(urls.baseUrl, "models", paging.nextOf(page, last?.rank() ?? null))
  const results = shown.map(({ item }) => ModelView.record(urls.baseUrl, item))
  return Answer.values(200, { previous: null, next, results })
})

/** Left out of the OpenAPI document, whose version has no such method. */
const search = HttpApiEndpoint.make("QUERY")("searchReplicateModels", `${Paths.root}/models`, {
  success: ModelsBody,
  error: ReplicateErrors.usual
})
  .annotate(OpenApi.Exclude, true)
  .annotate(OpenApi.Summary, "Search models")

/** Results of one search. */
const mostFound = 20

/** The client sends its text as JSON, others send it as it is. */
const wordsOf = (text: string): string => {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === "string" ? json : text
  } catch {
    return text
  }
}

/** Bytes of a body: of every character escaped. */
const longestBody = 6 * longestQuery + 2

const noQuery = ErrorAnswer.invalid([
  issue(["query"], "length", `must be words, in at most ${longestQuery} characters`)
])

export const searchModels = Route.make(
  search,
  Effect.all({ catalog: CatalogContents, finder: CatalogSearch, urls: PublicUrls }),
  function* ({ catalog, finder, urls }, { request }) {
    const bytes = yield* BodyReader.read(request, longestBody)
    const words = wordsOf(Buffer.from(bytes).toString())
    if (words.trim() === "" || words.length > longestQuery) return yield* noQuery
    const contents = yield* catalog.current
    const found = [...finder.models(contents, words), ...finder.wrappers(contents, words)].sort(bestFirst)
    const results = found.slice(0, mostFound).map(({ item }) => ModelView.record(urls.baseUrl, item))
    return Answer.values(200, { previous: null, next: null, results })
  }
)

const ofOne = [...ReplicateErrors.usual, ReplicateErrors.notFound]

const find = Effect.fnUntraced(function* (
  catalog: CatalogContents["Service"],
  params: { readonly owner: string; readonly name: string }
) {
  const { byEndpoint } = yield* catalog.current
  return byEndpoint.get(Paths.endpointOf(params)) ?? (yield* ErrorAnswer.unknownModel)
})

const get = HttpApiEndpoint.get("getReplicateModel", `${Paths.root}/models/:owner/:name`, {
  params: Paths.params,
  success: ModelView.Model,
  error: ofOne
})
  .annotate(OpenApi.Summary, "One model")
  .annotate(OpenApi.Description, "Or a wrapper.")

export const getModel = Route.make(get, services, function* ({ catalog, urls }, { params }) {
  return Answer.values(200, ModelView.record(urls.baseUrl, yield* find(catalog, params)))
})

const versions = HttpApiEndpoint.get(
  "listReplicateModelVersions",
  `${Paths.root}/models/:owner/:name/versions`,
  {
    params: Paths.params,
    success: Pages.bodyOf(ModelView.Version).annotate({
      identifier: "ReplicateModelVersions",
      description: "The only version of a model."
    }),
    error: ofOne
  }
)
  .annotate(OpenApi.Summary, "Versions of a model")
  .annotate(OpenApi.Description, "The current one: only it can be run.")

export const listVersions = Route.make(versions, services, function* ({ catalog }, { params }) {
  const results = [ModelView.version(yield* find(catalog, params))]
  return Answer.values(200, { previous: null, next: null, results })
})

const version = HttpApiEndpoint.get(
  "getReplicateModelVersion",
  `${Paths.root}/models/:owner/:name/versions/:versionId`,
  {
    params: { ...Paths.params, versionId: RequestRoute.described("As in `latest_version`.") },
    success: ModelView.Version,
    error: ofOne
  }
)
  .annotate(OpenApi.Summary, "One version of a model")
  .annotate(OpenApi.Description, "404 for an earlier one.")

const unknownVersion = ErrorAnswer.notFound("Version")

export const getVersion = Route.make(version, services, function* ({ catalog }, { params }) {
  const found = ModelView.version(yield* find(catalog, params))
  return found.id === params.versionId ? Answer.values(200, found) : yield* unknownVersion
})

const deployment = HttpApiEndpoint.get("getReplicateDeployment", `${Paths.root}/deployments/:owner/:name`, {
  params: Paths.params,
  success: ModelView.Deployment,
  error: ofOne
})
  .annotate(OpenApi.Summary, "A model as a deployment")
  .annotate(
    OpenApi.Description,
    "There are no deployments here: predictions of one are predictions of the model."
  )

export const getDeployment = Route.make(deployment, services, function* ({ catalog }, { params }) {
  return Answer.json(200, ModelView.deployment(yield* find(catalog, params)))
})
