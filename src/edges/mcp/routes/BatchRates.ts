/** Counts a batch's requests (2025-03-26) against the rates of account and key. The first was counted on arrival. */
import { Effect } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { isLimited, RateLimits } from "#src/features/accounts/RateLimits.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as LimitErrorAnswers from "#src/edges/http/LimitErrorAnswers.ts"
import * as RateLimitFields from "#src/edges/http/RateLimitFields.ts"
import type { ErrorAnswer } from "#src/edges/http/ErrorAnswer.ts"

/** Returns the updated rate-limit headers. */
export const make = Effect.map(
  RateLimits,
  (rates) =>
    (caller: Caller, requests: number): Effect.Effect<Answer.Headers, ErrorAnswer> =>
      Effect.suspend(() => {
        if (requests < 2 || !isLimited(caller)) return Effect.succeed(Answer.noHeaders)
        const { refusedBy, standings } = rates.takeRest(caller, requests)
        return refusedBy === null
          ? Effect.succeed(RateLimitFields.ofRates(standings))
          : Effect.fail(LimitErrorAnswers.batchExceeded(refusedBy))
      })
)
