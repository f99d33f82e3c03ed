/** The metadata by which clients discover where and how to sign in. */
import type { Urls } from "#src/kernel/settings/PublicUrls.ts"
import * as ClientMetadata from "./ClientMetadata.ts"
import * as Paths from "./Paths.ts"
import { resourceOf, scope } from "./Resource.ts"

/** The documentation is on the platform's host: a proxy in front of the tool server need not forward it. */
type Hosts = Pick<Urls, "baseUrl" | "mcpUrl">

/** RFC 9728, 2. */
export const protectedResource = ({ baseUrl, mcpUrl }: Hosts) => ({
  resource: resourceOf(mcpUrl),
  authorization_servers: [mcpUrl],
  scopes_supported: [scope],
  bearer_methods_supported: ["header"],
  resource_name: "inferlog",
  resource_documentation: `${baseUrl}/docs`
})

/** RFC 8414, 2; `authorization_response_iss_parameter_supported` is from RFC 9207. */
export const authorizationServer = ({ baseUrl, mcpUrl }: Hosts) => ({
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
