/** The handlers of the tool server's routes. */
import { Effect, Layer } from "effect"
import * as McpRefusals from "./McpRefusals.ts"
import * as EndSession from "./EndSession.ts"
import * as PostMessage from "./PostMessage.ts"
import { ToolCalls } from "./ToolCalls.ts"
import * as BearerAuthorization from "./BearerAuthorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import { McpApi } from "./McpApi.ts"

export const layer = DeclaredRoutes.layerOfHandlers({
  group: McpApi,
  admit: BearerAuthorization.admit,
  services: Effect.all({ post: PostMessage.make, end: EndSession.make }),
  handlers: ({ end, post }) => ({
    postMessage: ({ headers, request }, bearer) => post({ bearer, headers, request }),
    listen: () => Effect.fail(McpRefusals.nothingToListenTo),
    endSession: ({ request }, bearer) => end({ bearer, request })
  })
}).pipe(Layer.provide(ToolCalls.layer))
