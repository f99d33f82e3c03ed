/** `GET /admin/v1/openapi.json`: the operations of administration as OpenAPI 3.1. Needs no key, as it says nothing of the installation. */
import { Effect, Schema } from "effect"
import { type HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as AdminApi from "#src/edges/admin/AdminApi.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import { type HostName, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { AssetsApi } from "#src/edges/console/assets/AssetsApi.ts"
import { SessionsApi } from "#src/edges/console/sessions/SessionsApi.ts"
import * as SsoApi from "#src/edges/sso/routes/SsoApi.ts"
import { lazy } from "#src/kernel/async/Lazy.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as OpenApiDocument from "#src/edges/server/system/OpenApiDocument.ts"

const endpoint = HttpApiEndpoint.get("getAdminOpenApi", "/admin/v1/openapi.json", {
  success: Schema.Record(Schema.String, Schema.Json).annotate({
    identifier: "OpenApiDocument",
    description: "OpenAPI 3.1."
  }),
  error: CommonResponses.unexpected
})
  .annotate(OpenApi.Identifier, "getAdminOpenApi")
  .annotate(OpenApi.Summary, "This description")
  .annotate(OpenApi.Description, "OpenAPI 3.1. Needs no key.")

const group = HttpApiGroup.make("admin-description").add(endpoint).annotate(OpenApi.Title, "Description")

type AnyApi = HttpApi.HttpApi<string, HttpApiGroup.Top>

const described = (api: AnyApi, hosts: ReadonlyArray<HostName>): AnyApi =>
  api.add(group as never, SsoApi.group.annotate(ServedOn, hosts) as never) as unknown as AnyApi

/** All routes of administration, on every host. */
export const api = described(AdminApi.api, [])

/** All routes of `ADMIN_PORT`. */
export const ofListener = api.add(
  SessionsApi as never,
  AssetsApi.annotate(ServedOn, []) as never
) as unknown as AnyApi

/** The same beside the public API. */
export const besidePublic = described(AdminApi.besidePublic, ["platform"])

const openApi = Route.prepared(
  endpoint,
  Effect.map(PublicUrls, (urls) => {
    const document = lazy(() =>
      Answer.json(200, OpenApiDocument.ofRoutes(besidePublic, urls), {
        "cache-control": "public, max-age=300"
      })
    )
    return () => Effect.sync(document)
  })
)

export const layer = DeclaredRoutes.layer(DeclaredRoutes.everybody, [openApi])
