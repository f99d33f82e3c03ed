/** `DELETE /mcp`: the client ends its session (MCP 2025-11-25, "Session Management"). */
import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import * as JsonRpc from "../JsonRpc.ts"
import { sessionHeader } from "../McpEndpoint.ts"
import { Sessions } from "../sessions/Sessions.ts"
import type { Bearer } from "#src/edges/oauth/AccessTokens.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as MessageErrors from "./MessageErrors.ts"

const endpoint = HttpApiEndpoint.delete("endMcpSession", "/mcp", {
  headers: { "mcp-session-id": Schema.String.annotate({ description: MessageErrors.session }) },
  success: HttpApiSchema.NoContent.annotate({ description: "The session and its calls have ended." }),
  error: [
    MessageErrors.refused,
    MessageErrors.sessionGone,
    CommonResponses.methodNotAllowed,
    CommonResponses.unexpected,
    CommonResponses.unavailable
  ]
}).annotateMerge(
  OpenApi.annotations({
    summary: "End a session of the tools",
    description: "Ends a session."
  })
)

const refused = (status: number, error: JsonRpc.ErrorObject) =>
  Answer.json(status, JsonRpc.error(null, error))

const missing = refused(
  400,
  JsonRpc.invalidRequest("Mcp-Session-Id, which names the session to end, is missing.")
)
const gone = refused(404, JsonRpc.sessionGone)
const ended = Answer.empty(204, Answer.noHeaders)

export const endSession = Route.make(
  endpoint,
  Sessions,
  function* (sessions, { request }, { caller }: Bearer) {
    const id = request.headers[sessionHeader]
    if (id === undefined) return missing
    return yield* sessions.end(caller, id).pipe(
      Effect.as(ended),
      Effect.catchTag("SessionGone", () => Effect.succeed(gone))
    )
  }
)
