/** `GET /account/balance`: what the account has. */
import { Effect } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Statements } from "#src/features/billing/Statements.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as BalanceView from "#src/features/billing/views/BalanceView.ts"

export const make = Effect.gen(function* () {
  const statements = yield* Statements

  return (caller: Caller) =>
    Effect.map(statements.balance(caller), (balance) => Answer.json(200, BalanceView.of(balance)))
})
