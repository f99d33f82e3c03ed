/**
 * Authorizes calls of the tool server: first the origin, because a web page must not get in through a name that
 * resolves here (DNS rebinding; MCP 2025-11-25, "Transports", Security Warning), then `Authorization: Bearer <access
 * token>`.
 */
import { Effect } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { RateLimits } from "#src/features/accounts/RateLimits.ts"
import { AccessTokens, type Bearer } from "#src/edges/oauth/AccessTokens.ts"
import * as Paths from "#src/edges/oauth/Paths.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { underRates } from "#src/edges/http/edge/Admission.ts"
import * as McpErrorAnswers from "./McpErrorAnswers.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import type { Admit } from "#src/edges/http/api/DeclaredRoutes.ts"

const accessToken = HttpApiSecurity.http({ scheme: "bearer" }).pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    `An access token of scope \`mcp\`, which the authorization server that \`${Paths.resourceMetadata}\` names gives out (OAuth 2.1).`
  )
)

export class BearerAuthorization extends HttpApiMiddleware.Service<BearerAuthorization>()(
  "inferlog/src/edges/mcp/routes/BearerAuthorization",
  {
    security: { accessToken },
    error: [CommonResponses.unauthorized, CommonResponses.forbidden, CommonResponses.tooManyRequests]
  }
) {}

/** Each tool checks the grant of the login's key itself. */
export const admit = Effect.gen(function* () {
  const tokens = yield* AccessTokens
  const rateLimits = yield* RateLimits
  const { mcpUrl } = yield* PublicUrls
  const unauthorized = McpErrorAnswers.unauthorized(mcpUrl)

  const limited = (bearer: Bearer) =>
    Effect.map(underRates(rateLimits, bearer.caller), (headers) => ({ caller: bearer, headers }))

  const enter: ReturnType<Admit<Bearer>> = ({ headers }) => {
    const from = headers["origin"]
    if (from !== undefined && from !== mcpUrl) return Effect.fail(McpErrorAnswers.foreignOrigin)
    return tokens.authenticate(headers["authorization"]).pipe(
      Effect.catchTag("BearerRefused", (refused) => Effect.fail(unauthorized(refused))),
      Effect.flatMap(limited)
    )
  }
  return (): typeof enter => enter
})
