/** The assistant-tool server (contract, "Assistant-tool server"): messages of the Model Context Protocol. */
import { Effect, Layer, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi, HttpApiSchema } from "effect/http-api"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { IsRefused, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import type { Bearer } from "#src/edges/oauth/AccessTokens.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as BearerAuthorization from "./BearerAuthorization.ts"
import * as McpErrorAnswers from "./McpErrorAnswers.ts"
import { postMessage } from "./PostMessage.ts"
import { ToolCalls } from "./ToolCalls.ts"
import * as JsonRpc from "../JsonRpc.ts"
import { sessionHeader } from "../McpEndpoint.ts"
import { Sessions } from "../sessions/Sessions.ts"
import * as MessageErrors from "./MessageErrors.ts"

/** `DELETE /mcp`: the client ends its session (MCP 2025-11-25, "Session Management"). */
const endSessionEndpoint = HttpApiEndpoint.delete("endMcpSession", "/mcp", {
  headers: { "mcp-session-id": Schema.String.annotate({ description: MessageErrors.session }) },
  success: HttpApiSchema.NoContent.annotate({ description: "The session and its calls have ended." }),
  error: [
    MessageErrors.refused,
    MessageErrors.sessionGone,
    CommonResponses.methodNotAllowed,
    CommonResponses.unexpected,
    CommonResponses.unavailable
  ]
})
  .annotate(OpenApi.Summary, "End a session of the tools")
  .annotate(OpenApi.Description, "Ends a session.")

const refused = (status: number, error: JsonRpc.ErrorObject) =>
  Answer.json(status, JsonRpc.error(null, error))

const missing = refused(
  400,
  JsonRpc.invalidRequest("Mcp-Session-Id, which names the session to end, is missing.")
)
const gone = refused(404, JsonRpc.sessionGone)
const ended = Answer.empty(204, Answer.noHeaders)

const endSession = Route.make(
  endSessionEndpoint,
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

/** Declared so that a call without a token learns where to sign in. With 405 as its success, it promises nothing else. */
const listenEndpoint = HttpApiEndpoint.get("listenForMcpMessages", "/mcp", {
  success: CommonResponses.methodNotAllowed,
  error: [CommonResponses.unexpected, CommonResponses.unavailable]
})
  .annotate(IsRefused, true)
  .annotate(OpenApi.Summary, "No stream to listen to")
  .annotate(
    OpenApi.Description,
    'Always 405 for a caller with a valid token: the server sends messages only in answers to a `POST` (Model Context Protocol 2025-11-25, "Listening for Messages from the Server"). Clients that try to open a stream here continue without it.'
  )

const listen = Route.prepared(
  listenEndpoint,
  Effect.succeed(() => Effect.fail(McpErrorAnswers.nothingToListenTo))
)

const routes = [postMessage, listen, endSession] as const

export class McpApi extends HttpApiGroup.make("mcp")
  .add(...Route.endpointsOf(routes))
  .middleware(BearerAuthorization.BearerAuthorization)
  .annotate(ServedOn, ["mcp"])
  .annotate(OpenApi.Title, "Tools")
  .annotate(OpenApi.Description, "Tools for assistants (Model Context Protocol).") {}

export const layer = DeclaredRoutes.layer(BearerAuthorization.admit, routes).pipe(
  Layer.provide(ToolCalls.layer)
)
