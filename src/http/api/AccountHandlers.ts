/** The declared routes of an account's money. */
import { Effect } from "effect"
import * as GetBalance from "../routes/account/GetBalance.ts"
import * as GetUsage from "../routes/account/GetUsage.ts"
import * as ListBillingEvents from "../routes/account/ListBillingEvents.ts"
import { AccountApi } from "./AccountApi.ts"
import * as Authorization from "./Authorization.ts"
import * as DeclaredRoutes from "./DeclaredRoutes.ts"

export const layer = DeclaredRoutes.layer({
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
