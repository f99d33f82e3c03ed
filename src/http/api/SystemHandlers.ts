/** The declared system routes. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PublicUrls } from "#src/PublicUrls.ts"
import * as Answer from "../Answer.ts"
import { Api } from "../Api.ts"
import { respond } from "../edge/Respond.ts"
import * as Health from "../routes/Health.ts"
import * as OpenApiDocument from "./OpenApiDocument.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "system",
  Effect.fnUntraced(function* (handlers) {
    const health = yield* Health.make
    const document = OpenApiDocument.make(Api, yield* PublicUrls)
    const description = Answer.toResponse(
      Answer.json(200, document, { "cache-control": "public, max-age=300" })
    )
    return handlers
      .handleRaw("health", () => respond(health()))
      .handleRaw("openapi", () => Effect.succeed(description))
  })
)
