/** The declared system routes. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PublicUrls } from "#src/PublicUrls.ts"
import * as Answer from "../Answer.ts"
import { Api } from "../Api.ts"
import * as OpenApiDocument from "./OpenApiDocument.ts"

const healthy = Answer.toResponse(Answer.json(200, { status: "ok" }))

export const layer = HttpApiBuilder.group(
  Api,
  "system",
  Effect.fnUntraced(function* (handlers) {
    const document = OpenApiDocument.make(Api, yield* PublicUrls)
    const description = Answer.toResponse(
      Answer.json(200, document, { "cache-control": "public, max-age=300" })
    )
    return handlers
      .handleRaw("health", () => Effect.succeed(healthy))
      .handleRaw("openapi", () => Effect.succeed(description))
  })
)
