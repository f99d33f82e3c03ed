/** The documents of the authorization server for clients (RFC 6749, 7009, 7591, 8414, 9728). */
import { Schema } from "effect"
import * as ClientMetadata from "./ClientMetadata.ts"

const described = (description: string, ...examples: ReadonlyArray<string>) =>
  Schema.String.annotate({ description, ...(examples.length === 0 ? {} : { examples }) })
const texts = (description: string) => Schema.Array(Schema.String).annotate({ description })

export const ProtectedResourceBody = Schema.Struct({
  resource: described("The resource of tokens: the address of the tool server."),
  authorization_servers: texts("Their issuers."),
  scopes_supported: texts("`mcp` alone."),
  bearer_methods_supported: texts("`header` alone."),
  resource_name: Schema.String,
  resource_documentation: Schema.String
}).annotate({ identifier: "ProtectedResourceMetadata", description: "RFC 9728." })

export const AuthorizationServerBody = Schema.Struct({
  issuer: described("Also in answers to the browser, as `iss` (RFC 9207)."),
  authorization_endpoint: Schema.String,
  token_endpoint: Schema.String,
  registration_endpoint: Schema.String,
  revocation_endpoint: Schema.String,
  scopes_supported: texts("`mcp` alone."),
  response_types_supported: texts("`code` alone."),
  response_modes_supported: texts("`query` alone."),
  grant_types_supported: texts("`authorization_code` and `refresh_token`."),
  token_endpoint_auth_methods_supported: texts("`none` for clients without a secret."),
  revocation_endpoint_auth_methods_supported: texts("As at the token endpoint."),
  code_challenge_methods_supported: texts("`S256` alone; a challenge is required."),
  authorization_response_iss_parameter_supported: Schema.Boolean,
  service_documentation: Schema.String
}).annotate({ identifier: "AuthorizationServerMetadata", description: "RFC 8414." })

const optional = (description: string) => Schema.optionalKey(described(description))

const shown = {
  client_name: optional("Shown on the sign-in page."),
  client_uri: optional("Shown on the sign-in page."),
  logo_uri: optional("Stored, never fetched."),
  tos_uri: optional("Stored."),
  policy_uri: optional("Stored.")
}

const redirectUris = texts(
  `Where codes may be sent, 1 to ${ClientMetadata.maxRedirectUris}: https, http on the loopback interface (any port), or a scheme of the client's own.`
)

export const RegistrationPayload = Schema.Struct({
  redirect_uris: redirectUris,
  ...shown,
  token_endpoint_auth_method: optional("Default: `none`."),
  grant_types: Schema.optionalKey(texts("Replaced by the supported scope.")),
  response_types: Schema.optionalKey(texts("Replaced by the supported scope.")),
  scope: optional("Replaced by the supported scope.")
}).annotate({
  identifier: "ClientMetadata",
  description: "RFC 7591. Other metadata is ignored.",
  examples: [{ redirect_uris: ["http://127.0.0.1/callback"], client_name: "An assistant" }]
})

export const RegisteredBody = Schema.Struct({
  client_id: Schema.String,
  client_id_issued_at: Schema.Int.annotate({ description: "Unix time in seconds." }),
  client_secret: optional("Returned once, to clients that registered a method with a secret."),
  client_secret_expires_at: Schema.optionalKey(Schema.Int.annotate({ description: "0: never." })),
  application_type: Schema.String,
  ...shown,
  redirect_uris: redirectUris,
  grant_types: texts("`authorization_code` and `refresh_token`."),
  response_types: texts("`code`."),
  scope: described("`mcp`."),
  token_endpoint_auth_method: Schema.Literals(ClientMetadata.authMethods)
}).annotate({ identifier: "RegisteredClient", description: "The registered client." })

export const TokenPayload = Schema.Struct({
  grant_type: Schema.Literals(["authorization_code", "refresh_token"]),
  client_id: optional("For clients without a secret, or with the secret in the body."),
  client_secret: optional("Alternatively by `Authorization: Basic`."),
  code: optional("The code from the redirect; valid once, for a minute."),
  code_verifier: optional("For the code's challenge (RFC 7636)."),
  redirect_uri: optional("The address to which the code was sent."),
  refresh_token: optional("The last refresh token that was issued."),
  resource: optional("The resource in the protected-resource metadata, or none (RFC 8707).")
}).annotate({ identifier: "TokenRequest" })

export const TokenBody = Schema.Struct({
  access_token: described("Opaque."),
  token_type: Schema.String,
  expires_in: Schema.Int.annotate({ description: "Seconds." }),
  refresh_token: optional("Replaces the previous refresh token, which stays valid for 20 seconds."),
  scope: described("`mcp`.")
}).annotate({ identifier: "Tokens" })

export const RevocationPayload = Schema.Struct({
  token: described("An access token, which is revoked alone, or a refresh token, which ends the sign-in."),
  token_type_hint: optional("`access_token` or `refresh_token`."),
  client_id: optional("As at the token endpoint."),
  client_secret: optional("As at the token endpoint.")
}).annotate({ identifier: "RevocationRequest" })

export const ErrorBody = Schema.Struct({
  error: described("An error code of the protocol.", "invalid_grant"),
  error_description: optional("For developers.")
})
