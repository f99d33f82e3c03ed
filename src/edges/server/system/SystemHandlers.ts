/** The declared system routes. */
import { Effect } from "effect"
import { lazy } from "#src/kernel/async/Lazy.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import { Api } from "../Api.ts"
import * as Docs from "./Docs.ts"
import * as Health from "./Health.ts"
import * as Metrics from "./Metrics.ts"
import * as Root from "./Root.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as OpenApiDocument from "./OpenApiDocument.ts"
import { SystemApi } from "./SystemApi.ts"

const services = Effect.gen(function* () {
  const urls = yield* PublicUrls
  return {
    root: yield* Root.make,
    health: yield* Health.make,
    metrics: yield* Metrics.make,
    docs: yield* Docs.make,
    // A tenth of a second that a start need not wait for.
    describe: lazy(() =>
      Answer.json(200, OpenApiDocument.make(Api, urls), { "cache-control": "public, max-age=300" })
    )
  }
})

export const layer = DeclaredRoutes.layerOfHandlers({
  group: SystemApi,
  admit: DeclaredRoutes.everybody,
  services,
  handlers: ({ describe, docs, health, metrics, root }) => ({
    root: ({ request }) => root(request.headers["accept"]),
    health: ({ query }) => health(query.live !== undefined),
    metrics: ({ request }) => metrics(request.headers["authorization"]),
    openapi: () => Effect.sync(describe),
    docs: ({ request }) => docs.page(request),
    docsScript: ({ query, request }) => docs.script(request, query.v)
  })
})
