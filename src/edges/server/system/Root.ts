/** `GET /`: where the reference is. Browsers are sent there. */
import { Effect, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { sentOn } from "#src/edges/oauth/routes/PageResponses.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as AcceptHeader from "#src/edges/http/requests/AcceptHeader.ts"

const endpoint = HttpApiEndpoint.get("getRoot", "/", {
  headers: {
    accept: Schema.optionalKey(
      Schema.String.annotate({
        description: "Clients that prefer `text/html`, such as browsers, are sent to `/docs`."
      })
    )
  },
  success: [
    Schema.Struct({
      name: Schema.Literal("inferlog"),
      version: Schema.String,
      docs: Schema.String.annotate({ description: "URL of the reference for people." }),
      openapi: Schema.String.annotate({ description: "URL of the OpenAPI document." })
    }).annotate({
      identifier: "Root",
      examples: [
        {
          name: "inferlog",
          version: "0.1.0",
          docs: "https://api.example.com/docs",
          openapi: "https://api.example.com/openapi.json"
        }
      ]
    }),
    sentOn("The reference, for browsers.")
  ],
  error: CommonResponses.unexpected
})
  .annotate(OpenApi.Summary, "Where the reference is")
  .annotate(OpenApi.Description, "Needs no key.")

const vary = { vary: "accept" }

/** Relative, so that it works behind a path and under every name of the server. */
const toDocs = Answer.empty(303, { location: "docs", ...vary })

export const root = Route.prepared(
  endpoint,
  Effect.map(PublicUrls, ({ baseUrl }) => {
    const body = { name: "inferlog", version, docs: `${baseUrl}/docs`, openapi: `${baseUrl}/openapi.json` }
    const asJson = Answer.json(200, body, vary)
    return ({ request }: Route.Call<typeof endpoint>) => {
      const type = AcceptHeader.preferred(request.headers["accept"], ["application/json", "text/html"])
      return Effect.succeed(type === "text/html" ? toDocs : asJson)
    }
  })
)
