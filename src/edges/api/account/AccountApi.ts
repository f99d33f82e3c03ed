/** What an account has, what it was charged for, and every entry that led there (decisions, "Platform routes"). */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { getBalance } from "./GetBalance.ts"
import { getUsage } from "./GetUsage.ts"
import { listBillingEvents } from "./ListBillingEvents.ts"

const routes = [getBalance, getUsage, listBillingEvents] as const

export class AccountApi extends HttpApiGroup.make("account")
  .add(...Route.endpointsOf(routes))
  .middleware(Authorization.Authorization)
  .annotateEndpoints(Requires, "billing:read")
  .annotate(ServedOn, ["platform"])
  .annotateMerge(
    OpenApi.annotations({
      title: "Account",
      description: "The account's money: the balance, the charges and the entries behind them."
    })
  ) {}

export const layer = DeclaredRoutes.layer(Authorization.admit, routes)
