/** Error answers before a message is read. Errors of a message itself are JSON-RPC. */
import * as JsonRpc from "../JsonRpc.ts"
import type { BearerRefused } from "#src/edges/oauth/AccessTokens.ts"
import * as Paths from "#src/edges/oauth/Paths.ts"
import { scope } from "#src/edges/oauth/Resource.ts"
import * as LimitErrorAnswers from "#src/edges/http/LimitErrorAnswers.ts"
import { methodNotAllowed, ErrorAnswer } from "#src/edges/http/ErrorAnswer.ts"

/** RFC 6750, 3, and RFC 9728, 5.1. */
const challenge = (mcpUrl: string, reason: BearerRefused["reason"]) => {
  const where = `Bearer resource_metadata="${mcpUrl}${Paths.resourceMetadata}", scope="${scope}"`
  const why = ', error="invalid_token", error_description="The access token is invalid, expired or revoked"'
  return { "www-authenticate": reason === "missing" ? where : where + why }
}

export const unauthorized =
  (mcpUrl: string) =>
  ({ reason }: BearerRefused): ErrorAnswer =>
    new ErrorAnswer({
      status: 401,
      error:
        reason === "missing"
          ? "An access token is required: Authorization: Bearer <token>. Sign in as WWW-Authenticate says."
          : "The access token is invalid, expired or revoked: refresh it, or sign in again.",
      headers: challenge(mcpUrl, reason)
    })

/** For a call in progress. */
export const signedOut = (mcpUrl: string): ErrorAnswer =>
  new ErrorAnswer({ status: 401, error: JsonRpc.signedOut.message, headers: challenge(mcpUrl, "invalid") })

/** The server sends nothing outside of calls (MCP 2025-11-25, "Listening for Messages from the Server"). */
export const nothingToListenTo = methodNotAllowed(["DELETE", "POST"])

export const foreignOrigin = new ErrorAnswer({
  status: 403,
  error: "Web pages of other origins are refused.",
  details: { code: "FOREIGN_ORIGIN" }
})

export const notAcceptable = new ErrorAnswer({
  status: 406,
  error: "Answers are application/json or text/event-stream, so Accept must list both."
})

const retryAfterSeconds = 5

/** @param limit per account. */
export const tooManyCalls = (limit: number): ErrorAnswer =>
  LimitErrorAnswers.tooManyToolCalls({ limit, retryAfterSeconds })

export const callsFull = new ErrorAnswer({
  status: 503,
  error: "Too many tool calls are in progress at the moment.",
  headers: { "retry-after": String(retryAfterSeconds) }
})
