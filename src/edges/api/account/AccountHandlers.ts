/** The declared routes of an account's money. */
import { Effect } from "effect"
import * as GetBalance from "./GetBalance.ts"
import * as GetUsage from "./GetUsage.ts"
import * as ListBillingEvents from "./ListBillingEvents.ts"
import { AccountApi } from "./AccountApi.ts"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"

export const layer = DeclaredRoutes.layerOfHandlers({
  group: AccountApi,
  admit: Authorization.admit,
  services: Effect.all({
    balance: GetBalance.make,
    usage: GetUsage.make,
    events: ListBillingEvents.make
  }),
  handlers: ({ balance, events, usage }) => ({
    getBalance: (_, caller) => balance(caller),
    getUsage: ({ query }, caller) => usage({ caller, query }),
    listBillingEvents: ({ query, request }, caller) => events({ caller, query, request })
  })
})
