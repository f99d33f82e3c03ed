/** The declared route of the history. */
import { Effect } from "effect"
import * as ListRequests from "../routes/requests/ListRequests.ts"
import * as Authorization from "./Authorization.ts"
import * as DeclaredRoutes from "./DeclaredRoutes.ts"
import { HistoryApi } from "./HistoryApi.ts"

export const layer = DeclaredRoutes.layer({
  group: HistoryApi,
  admit: Authorization.admit,
  services: Effect.all({ list: ListRequests.make }),
  handlers: ({ list }) => ({
    listRequests: ({ query, request }, caller) => list({ caller, query, url: request.url })
  })
})
