/** The declared route of the history. */
import { Effect } from "effect"
import * as ListRequests from "./ListRequests.ts"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import { HistoryApi } from "./HistoryApi.ts"

export const layer = DeclaredRoutes.layerOfHandlers({
  group: HistoryApi,
  admit: Authorization.admit,
  services: Effect.all({ list: ListRequests.make }),
  handlers: ({ list }) => ({
    listRequests: ({ query, request }, caller) => list({ caller, query, url: request.url })
  })
})
