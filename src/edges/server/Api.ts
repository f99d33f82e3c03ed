/** All routes in one declaration. OpenAPI and typed clients are derived from it. */
import { HttpApi, OpenApi } from "effect/http-api"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import { AccountApi } from "#src/edges/api/account/AccountApi.ts"
import { AssetsApi } from "#src/edges/console/assets/AssetsApi.ts"
import { AssistantsApi } from "#src/edges/oauth/routes/AssistantsApi.ts"
import { AuthorizeApi } from "#src/edges/oauth/routes/AuthorizeApi.ts"
import { CallbacksApi } from "#src/edges/api/providers/CallbacksApi.ts"
import { CatalogApi } from "#src/edges/api/catalog/CatalogApi.ts"
import { ComputeApi } from "#src/edges/api/catalog/ComputeApi.ts"
import { FalPartsApi } from "#src/edges/fal/files/FalParts.ts"
import { FalApi } from "#src/edges/fal/FalApi.ts"
import { FilesApi } from "#src/edges/api/files/FilesApi.ts"
import { HistoryApi } from "#src/edges/api/requests/history/HistoryApi.ts"
import { KeysApi } from "#src/edges/api/keys/KeysApi.ts"
import { McpApi } from "#src/edges/mcp/routes/McpApi.ts"
import { MediaApi } from "#src/edges/api/files/MediaApi.ts"
import { OAuthApi } from "#src/edges/oauth/routes/OAuthApi.ts"
import { OpenaiApi } from "#src/edges/openai/OpenaiApi.ts"
import { PricingApi } from "#src/edges/api/catalog/PricingApi.ts"
import { QueueApi } from "#src/edges/api/requests/QueueApi.ts"
import { ReplicateApi, ReplicateCatalogApi } from "#src/edges/replicate/ReplicateApi.ts"
import { SchemaErrors } from "#src/edges/http/api/SchemaErrors.ts"
import { SignInApi } from "#src/edges/oauth/routes/SignInApi.ts"
import { StreamsApi } from "#src/edges/api/requests/streams/StreamsApi.ts"
import { SessionsApi } from "#src/edges/console/sessions/SessionsApi.ts"
import { SystemApi } from "./system/SystemApi.ts"
import { TimelineApi } from "#src/edges/api/requests/history/TimelineApi.ts"
import { UploadsApi } from "#src/edges/api/files/UploadsApi.ts"
import { WebhooksApi } from "#src/edges/api/webhooks/WebhooksApi.ts"
import { WorkersApi } from "#src/edges/api/workers/WorkersApi.ts"

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
  .add(AssistantsApi)
  .add(MediaApi)
  .add(CallbacksApi)
  .add(WorkersApi)
  .add(OAuthApi)
  .add(AuthorizeApi)
  .add(SignInApi)
  .add(ReplicateApi)
  .add(ReplicateCatalogApi)
  .add(McpApi)
  .add(FalApi)
  .add(FalPartsApi)
  .add(OpenaiApi)
  .add(AssetsApi)
  .add(SessionsApi)
  .add(SystemApi)
  .middleware(SchemaErrors)
  .annotate(OpenApi.Title, "inferlog")
  .annotate(OpenApi.Version, version)
  .annotate(OpenApi.Summary, "Asynchronous model inference")
  .annotate(
    OpenApi.Description,
    [
      "Submit a request for a model, follow it by polling, read its result.",
      "This reference as an OpenAPI document: [openapi.json](openapi.json).",
      "Every error has the body `{ error, request_id, details? }`; every answer has its id in `x-request-id`.",
      "Unknown routes answer 404, wrong methods 405 with `Allow`. Retry 429, 503 and other 5xx with backoff, nothing else."
    ].join("\n\n")
  )
  .annotate(OpenApi.License, { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" }) {}
