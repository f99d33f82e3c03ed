/** `GET /account/balance`: what the account has. */
import { Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { Caller } from "#src/features/accounts/Caller.ts"
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
    identifier: "getBalance",
    summary: "The balance",
    description: "What the account has, and how much of it is reserved for requests that have not ended."
  })
)

export const getBalance = Route.prepared(
  endpoint,
  Effect.map(
    Statements,
    (statements) => (_: Route.Call<typeof endpoint>, caller: Caller) =>
      Effect.map(statements.balance(caller), (balance) => Answer.json(200, BalanceView.of(balance)))
  )
)
