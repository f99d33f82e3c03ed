/** `GET /v1/models` and `GET /v1/models/{model}`: the models that answer calls of OpenAI's API. */
import { Effect, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import * as Grant from "#domain/account/Grant.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { CatalogContents, type Listed } from "#src/features/catalog/CatalogContents.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ModelParameters from "#src/edges/http/api/ModelParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { anyQuery, Requires, TakesQuery, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import { endpointOf } from "#src/edges/http/requests/EndpointParams.ts"
import * as OpenaiErrors from "../OpenaiErrors.ts"
import * as OpenaiRoute from "../OpenaiRoute.ts"

const ModelObject = Schema.Struct({
  id: Schema.String.annotate({ description: "`owner/name`, for `model` of calls." }),
  object: Schema.Literal("model"),
  created: Schema.Int.annotate({ description: "Unix time in seconds." }),
  owned_by: Schema.String,
  serves: Schema.Array(Schema.String).annotate({ description: "The calls that it answers." })
}).annotate({ identifier: "OpenaiModel" })
type ModelObject = typeof ModelObject.Type

const servesOf = (listed: Listed) => (listed.kind === "model" ? listed.model : listed.base).serves ?? []

const shown = (endpoint: string, listed: Listed): ModelObject => ({
  id: endpoint,
  object: "model",
  created: Math.floor(listed.createdAt / 1_000),
  owned_by: endpoint.split("/", 1)[0] ?? "",
  serves: servesOf(listed)
})

const isShown = ({ grant }: Caller, endpoint: string, listed: Listed): boolean =>
  servesOf(listed).length > 0 && Grant.allowsModel(grant, endpoint)

const listEndpoint = HttpApiEndpoint.get("listOpenaiModels", "/v1/models", {
  success: Schema.Struct({ object: Schema.Literal("list"), data: Schema.Array(ModelObject) }),
  error: OpenaiRoute.errors
})
  .annotate(Requires, "requests:write")
  .annotate(TakesTokens, "submit")
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Summary, "Models of OpenAI's API")
  .annotate(OpenApi.Description, "The models that the key may call, of those whose manifests have `serves`.")

export const listModels = Route.make(listEndpoint, CatalogContents, function* ({ current }, _call, caller) {
  const { byEndpoint } = yield* current
  const data = [...byEndpoint].flatMap(([endpoint, listed]) =>
    isShown(caller, endpoint, listed) ? [shown(endpoint, listed)] : []
  )
  return Answer.json(200, { object: "list", data })
})

const find = ({ current }: CatalogContents["Service"], caller: Caller, endpoint: string) =>
  Effect.flatMap(current, ({ byEndpoint }) => {
    const listed = byEndpoint.get(endpoint)
    return listed === undefined || !isShown(caller, endpoint, listed)
      ? Effect.fail(OpenaiErrors.modelNotFound)
      : Effect.succeed(Answer.json(200, shown(endpoint, listed)))
  })

const getOptions = { success: ModelObject, error: OpenaiRoute.errors }

const describeOne = (summary: string) =>
  OpenApi.annotations({ summary, description: "One of the models that the key may call." })

/** Clients encode the slash of the name, or send it as it is. */
const byNameEndpoint = HttpApiEndpoint.get("getOpenaiModel", "/v1/models/:model", {
  ...getOptions,
  params: { model: Schema.String.annotate({ description: "`owner/name`, encoded: `owner%2Fname`." }) }
})
  .annotate(Requires, "requests:write")
  .annotate(TakesTokens, "submit")
  .annotate(TakesQuery, anyQuery)
  .annotateMerge(describeOne("One model of OpenAI's API"))

export const getModel = Route.make(byNameEndpoint, CatalogContents, function* (contents, { params }, caller) {
  return yield* find(contents, caller, params.model)
})

const byPartsEndpoint = HttpApiEndpoint.get("getOpenaiModelByParts", "/v1/models/:ownerName/:modelName", {
  ...getOptions,
  params: ModelParameters.ofModel
})
  .annotate(Requires, "requests:write")
  .annotate(TakesTokens, "submit")
  .annotate(TakesQuery, anyQuery)
  .annotateMerge(describeOne("One model of OpenAI's API, by the parts of its name"))

export const getModelByParts = Route.make(
  byPartsEndpoint,
  CatalogContents,
  function* (contents, { params }, caller) {
    return yield* find(contents, caller, endpointOf(params))
  }
)
