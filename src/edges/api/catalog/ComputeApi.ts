/** What models can be run on (decisions, "Platform routes"). */
import { Layer, Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import type { ListedGpu, ListedTemplate } from "#src/features/catalog/CatalogContents.ts"
import { newestFirst } from "#src/features/catalog/NewestFirst.ts"
import * as ComputeView from "#src/features/catalog/views/ComputeView.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as PublicReads from "#src/edges/http/api/PublicReads.ts"
import { answers, conditional, errors, ofOne } from "#src/edges/http/api/PublicResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { OpenToAnyOrigin, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as ItemTexts from "./ItemTexts.ts"
import { ofItems, PublicAnswers, steady } from "./PublicAnswers.ts"
import * as PublicList from "./PublicList.ts"

const gpus = HttpApiEndpoint.get("listGpus", "/gpus", {
  query: ListParameters.page,
  headers: conditional,
  success: answers(ComputeView.GpusBody),
  error: errors
})
  .annotate(OpenApi.Summary, "List GPUs")
  .annotate(OpenApi.Description, "The kinds that deployments can have, newest first.")

const gpusInOrder = newestFirst<ListedGpu>(({ gpu }) => gpu.id)

const listGpus = Route.prepared(
  gpus,
  PublicList.serve({
    cacheControl: steady,
    filter: () => Result.void,
    find: ({ gpus }) => gpusInOrder(gpus),
    text: ItemTexts.make(ComputeView.gpu)
  })
)

const templates = HttpApiEndpoint.get("listDeploymentTemplates", "/deployment-templates", {
  query: ListParameters.page,
  headers: conditional,
  success: answers(ComputeView.TemplatesBody),
  error: errors
})
  .annotate(OpenApi.Summary, "List deployment templates")
  .annotate(OpenApi.Description, "The public ones, newest first.")

const templatesInOrder = newestFirst<ListedTemplate>(({ template }) => template.id)

const templateText = ItemTexts.make(ComputeView.template)

const listTemplates = Route.prepared(
  templates,
  PublicList.serve({
    cacheControl: steady,
    filter: () => Result.void,
    find: (contents) => templatesInOrder(contents.templates).filter(({ item }) => item.template.public),
    text: templateText
  })
)

const template = HttpApiEndpoint.get("getDeploymentTemplate", "/deployment-templates/:templateId", {
  params: { templateId: Schema.String },
  headers: conditional,
  success: answers(ComputeView.TemplateBody),
  error: ofOne
})
  .annotate(OpenApi.Summary, "One deployment template")
  .annotate(OpenApi.Description, "If it is public.")

const unknownTemplate = ErrorAnswer.notFound("Deployment template")

const getTemplate = Route.make(template, ofItems, function* ({ answers, catalog }, { params, request }) {
  const { templates } = yield* catalog.current
  const listed = templates.find(({ template: { id } }) => id === params.templateId)
  if (listed === undefined || !listed.template.public) return yield* unknownTemplate
  return yield* answers.answer(request, templateText(listed), steady)
})

const routes = [listGpus, listTemplates, getTemplate] as const

export class ComputeApi extends HttpApiGroup.make("compute")
  .add(...Route.endpointsOf(routes))
  .annotate(ServedOn, ["platform"])
  .annotate(OpenToAnyOrigin, true)
  .annotate(OpenApi.Title, "Compute")
  .annotate(OpenApi.Description, "GPUs and deployment templates. Public: these routes need no key.") {}

export const layer = Layer.merge(
  DeclaredRoutes.layer(PublicReads.admit, routes),
  PublicReads.preflights(ComputeApi)
).pipe(Layer.provide(PublicAnswers.layer))
