/** Every route of the service, in one document: it is served as OpenAPI, and typed clients are derived from it. */
import { HttpApi, OpenApi } from "effect/http-api"
import { AccountApi } from "./api/AccountApi.ts"
import { AuthorizeApi } from "./api/AuthorizeApi.ts"
import { CallbacksApi } from "./api/CallbacksApi.ts"
import { CatalogApi } from "./api/CatalogApi.ts"
import { ComputeApi } from "./api/ComputeApi.ts"
import { FilesApi } from "./api/FilesApi.ts"
import { HistoryApi } from "./api/HistoryApi.ts"
import { KeysApi } from "./api/KeysApi.ts"
import { McpApi } from "./api/McpApi.ts"
import { MediaApi } from "./api/MediaApi.ts"
import { OAuthApi } from "./api/OAuthApi.ts"
import { PricingApi } from "./api/PricingApi.ts"
import { QueueApi } from "./api/QueueApi.ts"
import { SchemaErrors } from "./api/SchemaErrors.ts"
import { SignInApi } from "./api/SignInApi.ts"
import { StreamsApi } from "./api/StreamsApi.ts"
import { SystemApi } from "./api/SystemApi.ts"
import { TimelineApi } from "./api/TimelineApi.ts"
import { UploadsApi } from "./api/UploadsApi.ts"
import { WebhooksApi } from "./api/WebhooksApi.ts"
import { WorkersApi } from "./api/WorkersApi.ts"

export class Api extends HttpApi.make("inferlog")
  .add(QueueApi)
  .add(HistoryApi)
  .add(TimelineApi)
  .add(StreamsApi)
  .add(WebhooksApi)
  .add(UploadsApi)
  .add(FilesApi)
  .add(CatalogApi)
  .add(PricingApi)
  .add(ComputeApi)
  .add(AccountApi)
  .add(KeysApi)
  .add(MediaApi)
  .add(CallbacksApi)
  .add(WorkersApi)
  .add(OAuthApi)
  .add(AuthorizeApi)
  .add(SignInApi)
  .add(McpApi)
  .add(SystemApi)
  .middleware(SchemaErrors)
  .annotateMerge(
    OpenApi.annotations({
      title: "inferlog",
      version: "1.0.0",
      summary: "Asynchronous model inference",
      description: [
        "Submit a request for a model, follow it by polling, read its result.",
        "This reference as an OpenAPI document: [openapi.json](openapi.json).",
        "Every error has the body `{ error, request_id, details? }`; every answer has its id in `x-request-id`.",
        "Unknown routes answer 404, wrong methods 405 with `Allow`. Retry 429, 503 and other 5xx with backoff, nothing else."
      ].join("\n\n"),
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" }
    })
  ) {}
