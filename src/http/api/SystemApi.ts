/** What the service says of itself, on every host and without a key. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as CommonResponses from "./CommonResponses.ts"

const health = HttpApiEndpoint.get("health", "/health", {
  success: Schema.Struct({ status: Schema.Literal("ok") }).annotate({
    identifier: "Health",
    examples: [{ status: "ok" }]
  }),
  error: [CommonResponses.unexpected, CommonResponses.unavailable]
}).annotateMerge(
  OpenApi.annotations({
    identifier: "getHealth",
    summary: "Whether the process accepts and runs requests",
    description: "For load balancers and supervisors."
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

export class SystemApi extends HttpApiGroup.make("system")
  .add(health, openapi)
  .annotateMerge(OpenApi.annotations({ title: "System", description: "Health and description." })) {}
