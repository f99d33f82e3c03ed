/** The declared tool server. */
import { Effect, Layer } from "effect"
import * as McpRefusals from "../McpRefusals.ts"
import * as EndSession from "../routes/mcp/EndSession.ts"
import * as PostMessage from "../routes/mcp/PostMessage.ts"
import { ToolCalls } from "../routes/mcp/ToolCalls.ts"
import * as BearerAuthorization from "./BearerAuthorization.ts"
import * as DeclaredRoutes from "./DeclaredRoutes.ts"
import { McpApi } from "./McpApi.ts"

export const layer = DeclaredRoutes.layer({
  group: McpApi,
  admit: BearerAuthorization.admit,
  services: Effect.all({ post: PostMessage.make, end: EndSession.make }),
  handlers: ({ end, post }) => ({
    postMessage: ({ headers, request }, bearer) => post({ bearer, headers, request }),
    listen: () => Effect.fail(McpRefusals.nothingToListenTo),
    endSession: ({ request }, bearer) => end({ bearer, request })
  })
}).pipe(Layer.provide(ToolCalls.layer))
