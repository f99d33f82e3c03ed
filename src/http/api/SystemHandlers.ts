/** The declared system routes. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PublicUrls } from "#src/PublicUrls.ts"
import * as Answer from "../Answer.ts"
import { Api } from "../Api.ts"
import { answerError, respond } from "../edge/Respond.ts"
import * as Docs from "../routes/Docs.ts"
import * as Health from "../routes/Health.ts"
import * as Metrics from "../routes/Metrics.ts"
import * as OpenApiDocument from "./OpenApiDocument.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "system",
  Effect.fnUntraced(function* (handlers) {
    const health = yield* Health.make
    const metrics = yield* Metrics.make
    const docs = yield* Docs.make
    const document = OpenApiDocument.make(Api, yield* PublicUrls)
    const description = Answer.toResponse(
      Answer.json(200, document, { "cache-control": "public, max-age=300" })
    )
    return handlers
      .handleRaw("health", () => respond(health()))
      .handleRaw("metrics", ({ request }) =>
        metrics(request.headers["authorization"]).pipe(
          Effect.catch((error) => Effect.map(answerError(error), Answer.toResponse))
        )
      )
      .handleRaw("openapi", () => Effect.succeed(description))
      .handleRaw("docs", ({ request }) => docs.page(request))
      .handleRaw("docsScript", ({ query, request }) => docs.script(request, query.v))
  })
)
