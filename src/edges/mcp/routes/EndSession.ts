/** `DELETE /mcp`: the client ends its session (MCP 2025-11-25, "Session Management"). */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as JsonRpc from "../JsonRpc.ts"
import { sessionHeader } from "../McpEndpoint.ts"
import { Sessions } from "../sessions/Sessions.ts"
import type { Bearer } from "#src/edges/oauth/AccessTokens.ts"
import * as Answer from "#src/edges/http/Answer.ts"

export interface EndCall {
  readonly request: HttpServerRequest
  readonly bearer: Bearer
}

const refused = (status: number, error: JsonRpc.ErrorText) => Answer.json(status, JsonRpc.error(null, error))

const missing = refused(
  400,
  JsonRpc.invalidRequest("Mcp-Session-Id, which names the session to end, is missing.")
)
const gone = refused(404, JsonRpc.sessionGone)
const ended = Answer.empty(204, Answer.noHeaders)

export const make = Effect.map(Sessions, (sessions) => ({ bearer, request }: EndCall) => {
  const id = request.headers[sessionHeader]
  if (id === undefined) return Effect.succeed(missing)
  return sessions.end(bearer.caller, id).pipe(
    Effect.as(ended),
    Effect.catchTag("SessionGone", () => Effect.succeed(gone))
  )
})
