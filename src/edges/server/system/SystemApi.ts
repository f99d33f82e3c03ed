/** The service's own state and description, without a key. */
import { Effect, Schema } from "effect"
import { HttpApiGroup, OpenApi, HttpApiEndpoint } from "effect/http-api"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { sentOn } from "#src/edges/oauth/routes/PageResponses.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as AcceptHeader from "#src/edges/http/requests/AcceptHeader.ts"
import { Health, type Unwell } from "#src/platform/health/Health.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import { docs, docsScript } from "./Docs.ts"
import { metrics } from "./Metrics.ts"
import { openApi } from "./OpenApiDocument.ts"

/** `GET /health`: whether requests that are submitted here are accepted and run. */
const healthEndpoint = HttpApiEndpoint.get("getHealth", "/health", {
  query: {
    live: Schema.optionalKey(
      Schema.Literal("1").annotate({ description: "Checks only that the process answers: always 200." })
    )
  },
  success: Schema.Struct({ status: Schema.Literal("ok") }).annotate({
    identifier: "Health",
    examples: [{ status: "ok" }]
  }),
  error: [CommonResponses.unexpected, CommonResponses.unavailable]
})
  .annotate(OpenApi.Summary, "Whether the process accepts and runs requests")
  .annotate(
    OpenApi.Description,
    "For load balancers; with `live=1` for supervisors that restart a process that does not answer. A 503 has `details.code` `UNHEALTHY` and `details.reasons`, each with a `code`, a `message` and `since` when it holds."
  )

const ok = Answer.json(200, { status: "ok" })

const unwell = (reasons: ReadonlyArray<Unwell>) =>
  new ErrorAnswer.ErrorAnswer({
    status: 503,
    error: "The server does not accept requests, or does not run them.",
    details: {
      code: "UNHEALTHY",
      reasons: reasons.map(({ code, message, since }) => ({ code, message, since: DateTime.format(since) }))
    },
    headers: { "retry-after": "5" }
  })

const health = Route.make(healthEndpoint, Health, function* ({ reasons }, { query }) {
  if (query.live !== undefined) return ok
  const found = yield* reasons
  return found.length === 0 ? ok : yield* unwell(found)
})

/** `GET /`: where the reference is. Browsers are sent to the console. */
const rootEndpoint = HttpApiEndpoint.get("getRoot", "/", {
  headers: {
    accept: Schema.optionalKey(
      Schema.String.annotate({
        description: "Clients that prefer `text/html`, such as browsers, are sent to `/console`."
      })
    )
  },
  success: [
    Schema.Struct({
      name: Schema.Literal("inferlog"),
      version: Schema.String,
      docs: Schema.String.annotate({ description: "URL of the reference for people." }),
      openapi: Schema.String.annotate({ description: "URL of the OpenAPI document." }),
      console: Schema.String.annotate({ description: "URL of the console for people." })
    }).annotate({
      identifier: "Root",
      examples: [
        {
          name: "inferlog",
          version,
          docs: "https://api.example.com/docs",
          openapi: "https://api.example.com/openapi.json",
          console: "https://api.example.com/console"
        }
      ]
    }),
    sentOn("The console, for browsers.")
  ],
  error: CommonResponses.unexpected
})
  .annotate(OpenApi.Summary, "Where the reference and the console are")
  .annotate(OpenApi.Description, "Needs no key.")

const vary = { vary: "accept" }

/** Relative, so that it works behind a path and under every name of the server. */
const toConsole = Answer.empty(303, { location: "console", ...vary })

const root = Route.prepared(
  rootEndpoint,
  Effect.map(PublicUrls, ({ baseUrl }) => {
    const body = {
      name: "inferlog",
      version,
      docs: `${baseUrl}/docs`,
      openapi: `${baseUrl}/openapi.json`,
      console: `${baseUrl}/console`
    }
    const asJson = Answer.json(200, body, vary)
    return ({ request }: Route.Call<typeof rootEndpoint>) => {
      const type = AcceptHeader.preferred(request.headers["accept"], ["application/json", "text/html"])
      return Effect.succeed(type === "text/html" ? toConsole : asJson)
    }
  })
)

const routes = [root, health, metrics, openApi, docs, docsScript] as const

export class SystemApi extends HttpApiGroup.make("system")
  .add(...Route.endpointsOf(routes))
  .annotate(OpenApi.Title, "System")
  .annotate(OpenApi.Description, "Health, metrics and description.") {}

export const layer = DeclaredRoutes.layer(DeclaredRoutes.everybody, routes)
