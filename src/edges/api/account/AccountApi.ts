/** What an account has, what it was charged for, and every entry that led there (decisions, "Platform routes"). */
import { HttpApiGroup, OpenApi, HttpApiEndpoint } from "effect/http-api"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { Statements } from "#src/features/billing/Statements.ts"
import * as BalanceView from "#src/features/billing/views/BalanceView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import { getUsage } from "./GetUsage.ts"
import { listBillingEvents } from "./ListBillingEvents.ts"

/** `GET /account/balance`: what the account has. */
const getBalanceEndpoint = HttpApiEndpoint.get("getBalance", "/account/balance", {
  success: BalanceView.BalanceBody,
  error: CommonResponses.usual
})
  .annotate(OpenApi.Summary, "The balance")
  .annotate(
    OpenApi.Description,
    "The account's balance, and the part of it that is reserved for requests that have not ended."
  )

const getBalance = Route.make(getBalanceEndpoint, Statements, function* (statements, _, caller) {
  return Answer.json(200, BalanceView.of(yield* statements.balance(caller), caller.limits.creditLimit))
})

const routes = [getBalance, getUsage, listBillingEvents] as const

export class AccountApi extends HttpApiGroup.make("account")
  .add(...Route.endpointsOf(routes))
  .middleware(Authorization.Authorization)
  .annotateEndpoints(Requires, "billing:read")
  .annotate(ServedOn, ["platform"])
  .annotate(OpenApi.Title, "Account")
  .annotate(
    OpenApi.Description,
    "The account's money: the balance, the charges and the entries behind them."
  ) {}

export const layer = DeclaredRoutes.layer(Authorization.admit, routes)
