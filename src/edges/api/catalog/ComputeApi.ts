/** What models can be run on (decisions, "Platform routes"). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { usualLimit } from "#src/edges/http/requests/PageQuery.ts"
import * as ComputeView from "#src/features/catalog/views/ComputeView.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import { answers, conditional, errors, ofOne } from "#src/edges/http/api/PublicResponses.ts"
import { OpenToAnyOrigin, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"

const forms = ListParameters.withForms(ListParameters.pageForms(usualLimit))

const gpus = HttpApiEndpoint.get("listGpus", "/gpus", {
  query: ListParameters.page,
  headers: conditional,
  success: answers(ComputeView.GpusBody),
  error: errors
}).annotateMerge(
  OpenApi.annotations({
    identifier: "listGpus",
    summary: "List GPUs",
    description: "The kinds that deployments can have, newest first.",
    transform: forms
  })
)

const templates = HttpApiEndpoint.get("listDeploymentTemplates", "/deployment-templates", {
  query: ListParameters.page,
  headers: conditional,
  success: answers(ComputeView.TemplatesBody),
  error: errors
}).annotateMerge(
  OpenApi.annotations({
    identifier: "listDeploymentTemplates",
    summary: "List deployment templates",
    description: "The public ones, newest first.",
    transform: forms
  })
)

const template = HttpApiEndpoint.get("getDeploymentTemplate", "/deployment-templates/:templateId", {
  params: { templateId: Schema.String },
  headers: conditional,
  success: answers(ComputeView.TemplateBody),
  error: ofOne
}).annotateMerge(
  OpenApi.annotations({
    identifier: "getDeploymentTemplate",
    summary: "One deployment template",
    description: "If it is public."
  })
)

export class ComputeApi extends HttpApiGroup.make("compute")
  .add(gpus, templates, template)
  .annotate(ServedOn, ["platform"])
  .annotate(OpenToAnyOrigin, true)
  .annotateMerge(
    OpenApi.annotations({
      title: "Compute",
      description: "GPUs and deployment templates, for everybody: no key is asked for."
    })
  ) {}
