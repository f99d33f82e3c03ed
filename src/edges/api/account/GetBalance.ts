/** `GET /account/balance`: what the account has. */
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Statements } from "#src/features/billing/Statements.ts"
import * as BalanceView from "#src/features/billing/views/BalanceView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"

const endpoint = HttpApiEndpoint.get("getBalance", "/account/balance", {
  success: BalanceView.BalanceBody,
  error: CommonResponses.usual
}).annotateMerge(
  OpenApi.annotations({
    summary: "The balance",
    description: "What the account has, and how much of it is reserved for requests that have not ended."
  })
)

export const getBalance = Route.make(endpoint, Statements, function* (statements, _, caller) {
  return Answer.json(200, BalanceView.of(yield* statements.balance(caller)))
})
