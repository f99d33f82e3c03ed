/** `GET /usage`: what was charged, by hour, day or month. */
import { Clock, Effect, Result } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { mostUsageRows, Statements } from "#src/features/billing/Statements.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import { issue } from "#src/edges/http/requests/Parsed.ts"
import * as UsageQuery from "./UsageQuery.ts"
import * as UsageView from "#src/features/billing/views/UsageView.ts"

export interface GetUsageCall {
  readonly caller: Caller
  readonly query: UsageQuery.UsageQuery
}

const tooLarge = Refusal.invalid([
  issue(
    ["start"],
    "range",
    `there are more than ${mostUsageRows} rows: ask for a shorter time, a coarser granularity or one model`
  )
])

export const make = Effect.gen(function* () {
  const statements = yield* Statements

  return Effect.fnUntraced(function* ({ caller, query }: GetUsageCall) {
    const asked = UsageQuery.parse(query, yield* Clock.currentTimeMillis)
    if (Result.isFailure(asked)) return yield* Refusal.invalid(asked.failure)
    const usage = yield* statements
      .usage({ caller, ...asked.success })
      .pipe(Effect.catchTag("UsageTooLarge", () => tooLarge))
    return Answer.json(200, UsageView.of(asked.success, usage))
  })
})
