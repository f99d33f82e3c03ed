/** The metadata by which clients discover where and how to sign in. */
import { Effect, type Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { PublicUrls, type Urls } from "#src/kernel/settings/PublicUrls.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ClientMetadata from "../ClientMetadata.ts"
import * as OAuthView from "../OAuthView.ts"
import * as Paths from "../Paths.ts"
import { resourceOf, scope } from "../Resource.ts"

/** The documentation is on the platform's host: a proxy in front of the tool server need not forward it. */
type Hosts = Pick<Urls, "baseUrl" | "mcpUrl">

/** RFC 9728, 2. */
const protectedResource = ({ baseUrl, mcpUrl }: Hosts) => ({
  resource: resourceOf(mcpUrl),
  authorization_servers: [mcpUrl],
  scopes_supported: [scope],
  bearer_methods_supported: ["header"],
  resource_name: "inferlog",
  resource_documentation: `${baseUrl}/docs`
})

/** RFC 8414, 2; `authorization_response_iss_parameter_supported` is from RFC 9207. */
const authorizationServer = ({ baseUrl, mcpUrl }: Hosts) => ({
  issuer: mcpUrl,
  authorization_endpoint: `${mcpUrl}${Paths.authorize}`,
  token_endpoint: `${mcpUrl}${Paths.token}`,
  registration_endpoint: `${mcpUrl}${Paths.register}`,
  revocation_endpoint: `${mcpUrl}${Paths.revoke}`,
  scopes_supported: [scope],
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: [...ClientMetadata.authMethods],
  revocation_endpoint_auth_methods_supported: [...ClientMetadata.authMethods],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${baseUrl}/docs`
})

interface Document<Body extends Schema.Top> {
  readonly body: Body
  readonly summary: string
  readonly description: string
  readonly of: (hosts: Hosts) => object
}

/** A route of a document, which has several addresses. */
const route =
  <Body extends Schema.Top>({ body, of, ...about }: Document<Body>) =>
  <const Id extends string, Path extends `/${string}`>(id: Id, path: Path) =>
    Route.prepared(
      HttpApiEndpoint.get(id, path, { success: body, error: CommonResponses.unexpected }).annotateMerge(
        OpenApi.annotations(about)
      ),
      Effect.map(PublicUrls, (urls) => {
        const answer = Answer.json(200, of(urls), { "cache-control": "public, max-age=300" })
        return () => Effect.succeed(answer)
      })
    )

const resource = route({
  body: OAuthView.ProtectedResourceBody,
  summary: "What is protected, and by whom",
  description: "RFC 9728. The 401 of the tool server names this address.",
  of: protectedResource
})

const server = route({
  body: OAuthView.AuthorizationServerBody,
  summary: "The authorization server",
  description: "RFC 8414: the endpoints for registration, sign-in, tokens and revocation.",
  of: authorizationServer
})

export const metadataRoutes = [
  resource("getProtectedResource", Paths.resourceMetadata),
  resource("getProtectedResourceOfTools", `${Paths.resourceMetadata}/mcp`),
  server("getAuthorizationServer", Paths.serverMetadata),
  server("getAuthorizationServerOfTools", `${Paths.serverMetadata}/mcp`)
] as const
