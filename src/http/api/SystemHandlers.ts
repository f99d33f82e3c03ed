/** The declared system routes. */
import { Effect } from "effect"
import { PublicUrls } from "#src/PublicUrls.ts"
import * as Answer from "../Answer.ts"
import { Api } from "../Api.ts"
import * as Docs from "../routes/Docs.ts"
import * as Health from "../routes/Health.ts"
import * as Metrics from "../routes/Metrics.ts"
import * as DeclaredRoutes from "./DeclaredRoutes.ts"
import * as OpenApiDocument from "./OpenApiDocument.ts"
import { SystemApi } from "./SystemApi.ts"

const services = Effect.gen(function* () {
  const document = OpenApiDocument.make(Api, yield* PublicUrls)
  return {
    health: yield* Health.make,
    metrics: yield* Metrics.make,
    docs: yield* Docs.make,
    description: Answer.json(200, document, { "cache-control": "public, max-age=300" })
  }
})

export const layer = DeclaredRoutes.layer({
  group: SystemApi,
  admit: DeclaredRoutes.everybody,
  services,
  handlers: ({ description, docs, health, metrics }) => ({
    health,
    metrics: ({ request }) => metrics(request.headers["authorization"]),
    openapi: () => Effect.succeed(description),
    docs: ({ request }) => docs.page(request),
    docsScript: ({ query, request }) => docs.script(request, query.v)
  })
})
