/** What the service says of itself, without a key. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as MetricsPage from "#src/platform/telemetry/MetricsPage.ts"
import * as ReferencePage from "./ReferencePage.ts"
import * as ScalarScript from "./ScalarScript.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import { sentOn } from "#src/edges/oauth/routes/PageResponses.ts"
import { anyQuery, ServedOn, TakesQuery } from "#src/edges/http/api/RouteAnnotations.ts"

const health = HttpApiEndpoint.get("health", "/health", {
  query: {
    live: Schema.optionalKey(
      Schema.Literal("1").annotate({ description: "Asks only whether the process answers: always 200." })
    )
  },
  success: Schema.Struct({ status: Schema.Literal("ok") }).annotate({
    identifier: "Health",
    examples: [{ status: "ok" }]
  }),
  error: [CommonResponses.unexpected, CommonResponses.unavailable]
}).annotateMerge(
  OpenApi.annotations({
    identifier: "getHealth",
    summary: "Whether the process accepts and runs requests",
    description:
      "For load balancers; with `live=1` for supervisors that restart a process that does not answer. A 503 has `details.code` `UNHEALTHY` and `details.reasons`, each with a `code`, a `message` and `since` when it holds."
  })
)

const root = HttpApiEndpoint.get("root", "/", {
  headers: {
    accept: Schema.optionalKey(
      Schema.String.annotate({ description: "Browsers, which prefer `text/html`, are sent to `/docs`." })
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
}).annotateMerge(
  OpenApi.annotations({
    identifier: "getRoot",
    summary: "Where the reference is",
    description: "Needs no key."
  })
)

const metrics = HttpApiEndpoint.get("metrics", "/metrics", {
  success: Schema.String.pipe(HttpApiSchema.asText({ contentType: MetricsPage.contentType })).annotate({
    description: "Prometheus' text format, version 0.0.4."
  }),
  error: [CommonResponses.unauthorized, CommonResponses.unexpected]
})
  .annotate(ServedOn, ["platform"])
  .annotateMerge(
    OpenApi.annotations({
      identifier: "getMetrics",
      summary: "Metrics of the process",
      description:
        "For Prometheus. Where the setting `METRICS_TOKEN` is set it is wanted: `Authorization: Bearer <token>`."
    })
  )

const openapi = HttpApiEndpoint.get("openapi", "/openapi.json", {
  success: Schema.Record(Schema.String, Schema.Json).annotate({
    identifier: "OpenApiDocument",
    description: "OpenAPI 3.1."
  }),
  error: CommonResponses.unexpected
}).annotateMerge(
  OpenApi.annotations({ identifier: "getOpenApi", summary: "This description", description: "OpenAPI 3.1." })
)

const docs = HttpApiEndpoint.get("docs", "/docs", {
  headers: {
    "if-none-match": Schema.optionalKey(Schema.String.annotate({ description: "`ETag` of the last answer." }))
  },
  success: [
    Schema.String.pipe(HttpApiSchema.asText({ contentType: ReferencePage.contentType })).annotate({
      description: "A page."
    }),
    CommonResponses.notModified
  ],
  error: CommonResponses.unexpected
})
  .annotate(TakesQuery, anyQuery)
  .annotateMerge(
    OpenApi.annotations({
      identifier: "getDocs",
      summary: "This reference, for people",
      description: "A page that shows `/openapi.json`. It calls no other server."
    })
  )

const docsScript = HttpApiEndpoint.get("docsScript", "/docs/scalar.js", {
  query: { v: Schema.optionalKey(Schema.String.annotate({ description: "SHA-256 of the script." })) },
  headers: {
    "if-none-match": Schema.optionalKey(Schema.String.annotate({ description: "`ETag` of the last answer." }))
  },
  success: [
    Schema.String.pipe(HttpApiSchema.asText({ contentType: ScalarScript.contentType })).annotate({
      description: "The script."
    }),
    CommonResponses.notModified
  ],
  error: CommonResponses.unexpected
}).annotateMerge(
  OpenApi.annotations({
    identifier: "getDocsScript",
    summary: "The script of the reference",
    description: "Kept for a year by browsers when asked for by its digest, as the page does."
  })
)

export class SystemApi extends HttpApiGroup.make("system")
  .add(root, health, metrics, openapi, docs, docsScript)
  .annotateMerge(OpenApi.annotations({ title: "System", description: "Health, metrics and description." })) {}
