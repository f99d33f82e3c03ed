/**
 * The endpoints of the authorization server for clients (contract, "Assistant-tool server"), including web pages of
 * any origin.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Paths from "../Paths.ts"
import { maxBytes } from "./ClientCalls.ts"
import * as OAuthView from "../OAuthView.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import { anyQuery, OpenToAnyOrigin, ServedOn, TakesQuery } from "#src/edges/http/api/RouteAnnotations.ts"

const refused = (status: number, description: string) =>
  OAuthView.ErrorBody.annotate({ identifier: `OAuthError${status}`, description }).pipe(
    HttpApiSchema.status(status)
  )

const invalid = refused(400, "The request is refused, for the reason that `error` says.")
const unauthenticated = refused(401, "The client is unknown, or its secret is wrong (`invalid_client`).")
const timeout = refused(408, "The body did not arrive in time.")
const tooLarge = refused(413, `The body is larger than ${maxBytes} bytes.`)
const retryAfter = { "retry-after": Schema.String.annotate({ description: "Seconds." }) }

const tooMany = HttpApiSchema.WithHeaders(
  refused(
    429,
    "Too many clients are registering, or one sign-in gets new tokens too often: retry after `Retry-After` seconds."
  ),
  retryAfter
)
const unavailable = HttpApiSchema.WithHeaders(
  refused(
    503,
    "The service cannot reach its storage (`temporarily_unavailable`), and nothing has changed for the client: retry after `Retry-After` seconds."
  ),
  retryAfter
)
const failed = refused(
  500,
  "Unexpected server error (`server_error`), logged with the `x-request-id` of the answer."
)

/** Metadata, equal at each of its addresses. */
const document =
  <Body extends Schema.Top>(body: Body, about: { readonly summary: string; readonly description: string }) =>
  <const Id extends string, Path extends `/${string}`>(id: Id, path: Path) =>
    HttpApiEndpoint.get(id, path, { success: body, error: CommonResponses.unexpected }).annotateMerge(
      OpenApi.annotations({ identifier: id, ...about })
    )

const resourceMetadata = document(OAuthView.ProtectedResourceBody, {
  summary: "What is protected, and by whom",
  description: "RFC 9728. The 401 of the tool server names this address."
})

const serverMetadata = document(OAuthView.AuthorizationServerBody, {
  summary: "The authorization server",
  description: "RFC 8414: the endpoints for registration, sign-in, tokens and revocation."
})

const register = HttpApiEndpoint.post("registerClient", Paths.register, {
  payload: OAuthView.RegistrationPayload,
  success: OAuthView.RegisteredBody.pipe(HttpApiSchema.status(201)),
  error: [invalid, timeout, tooLarge, tooMany, failed, unavailable]
}).annotateMerge(
  OpenApi.annotations({
    identifier: "registerClient",
    summary: "Register a client",
    description:
      "RFC 7591, for everybody. A client with which nobody signs in is forgotten after a day, another one 180 days after its last use."
  })
)

const token = HttpApiEndpoint.post("getToken", Paths.token, {
  payload: OAuthView.TokenPayload.pipe(HttpApiSchema.asFormUrlEncoded()),
  success: OAuthView.TokenBody,
  error: [invalid, unauthenticated, timeout, tooLarge, tooMany, failed, unavailable]
}).annotateMerge(
  OpenApi.annotations({
    identifier: "getToken",
    summary: "Get tokens",
    description:
      "For a code, or for a refresh token, which is replaced each time. `invalid_grant`: whoever signed in has to do so again; the key behind the sign-in was revoked, rotated or has expired, or a code or refresh token was used before."
  })
)

const revoke = HttpApiEndpoint.post("revokeToken", Paths.revoke, {
  payload: OAuthView.RevocationPayload.pipe(HttpApiSchema.asFormUrlEncoded()),
  success: HttpApiSchema.Empty(200).annotate({ description: "The token is not valid (any more)." }),
  error: [invalid, unauthenticated, timeout, tooLarge, failed, unavailable]
}).annotateMerge(
  OpenApi.annotations({
    identifier: "revokeToken",
    summary: "Give a token back",
    description: "RFC 7009. Revoking a refresh token revokes all tokens of its sign-in."
  })
)

export class OAuthApi extends HttpApiGroup.make("oauth")
  .add(
    resourceMetadata("getProtectedResource", Paths.resourceMetadata),
    resourceMetadata("getProtectedResourceOfTools", `${Paths.resourceMetadata}/mcp`),
    serverMetadata("getAuthorizationServer", Paths.serverMetadata),
    serverMetadata("getAuthorizationServerOfTools", `${Paths.serverMetadata}/mcp`),
    register,
    token,
    revoke
  )
  .annotate(ServedOn, ["mcp"])
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenToAnyOrigin, true)
  .annotateMerge(
    OpenApi.annotations({
      title: "OAuth",
      description: "How assistants get access to the tool server: OAuth 2.1 with PKCE, for the scope `mcp`."
    })
  ) {}
