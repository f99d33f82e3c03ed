/** The assistant-tool server (contract, "Assistant-tool server"): messages of the Model Context Protocol. */
import { Effect, Layer } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { IsRefused, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import * as BearerAuthorization from "./BearerAuthorization.ts"
import { endSession } from "./EndSession.ts"
import * as McpErrorAnswers from "./McpErrorAnswers.ts"
import { postMessage } from "./PostMessage.ts"
import { ToolCalls } from "./ToolCalls.ts"

/** Declared so that a call without a token learns where to sign in. With 405 as its success, it promises nothing else. */
const listenEndpoint = HttpApiEndpoint.get("listenForMcpMessages", "/mcp", {
  success: CommonResponses.methodNotAllowed,
  error: [CommonResponses.unexpected, CommonResponses.unavailable]
})
  .annotate(IsRefused, true)
  .annotateMerge(
    OpenApi.annotations({
      summary: "No stream to listen to",
      description:
        'Always 405 for a caller with a valid token: the server sends messages only in answers to a `POST` (Model Context Protocol 2025-11-25, "Listening for Messages from the Server"). Clients that try to open a stream here continue without it.'
    })
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
  .annotateMerge(
    OpenApi.annotations({ title: "Tools", description: "Tools for assistants (Model Context Protocol)." })
  ) {}

export const layer = DeclaredRoutes.layer(BearerAuthorization.admit, routes).pipe(
  Layer.provide(ToolCalls.layer)
)
