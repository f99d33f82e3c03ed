/** `GET /gpus`, `GET /deployment-templates` and one of these (decisions, "Platform routes"): the public ones alone. */
import { Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import {
  CatalogContents,
  type ListedGpu,
  type ListedTemplate
} from "#src/features/catalog/CatalogContents.ts"
import { newestFirst } from "#src/features/catalog/NewestFirst.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as ComputeView from "#src/features/catalog/views/ComputeView.ts"
import * as KeptTexts from "./KeptTexts.ts"
import * as PublicAnswers from "./PublicAnswers.ts"
import * as PublicList from "./PublicList.ts"

export interface TemplateCall {
  readonly params: { readonly templateId: string }
  readonly request: HttpServerRequest
}

const unknownTemplate = Refusal.notFound("Deployment template")

export const make = Effect.gen(function* () {
  const catalog = yield* CatalogContents
  const answer = yield* PublicAnswers.make
  const list = { answer, cacheControl: PublicAnswers.steady, filter: () => Result.void } as const
  const gpus = newestFirst<ListedGpu>(({ gpu }) => gpu.id)
  const templates = newestFirst<ListedTemplate>(({ template }) => template.id)
  const template = KeptTexts.keptTexts(ComputeView.template)

  return {
    gpus: yield* PublicList.make({
      ...list,
      find: (contents) => gpus(contents.gpus),
      text: KeptTexts.keptTexts(ComputeView.gpu)
    }),

    templates: yield* PublicList.make({
      ...list,
      find: (contents) => templates(contents.templates).filter(({ item }) => item.template.public),
      text: template
    }),

    template: Effect.fnUntraced(function* ({ params, request }: TemplateCall) {
      const { templates } = yield* catalog.current
      const listed = templates.find(({ template: { id } }) => id === params.templateId)
      if (listed === undefined || !listed.template.public) return yield* unknownTemplate
      return yield* answer(request, template(listed), PublicAnswers.steady)
    })
  }
})
