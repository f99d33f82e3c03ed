/**
 * Admits calls on every transport alike: checks the key or token (401), the page that it comes from (403), its rates (429),
 * and its scope (403), in this order.
 */
import { Context, Effect, Layer } from "effect"
import type { Scope } from "#domain/account/Grant.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { allowsCall, type TokenUse } from "#src/features/accounts/tokens/TokenUse.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { isLimited, RateLimits } from "#src/features/accounts/RateLimits.ts"
import * as Answer from "../Answer.ts"
import * as RateLimitFields from "../RateLimitFields.ts"
import * as LimitErrorAnswers from "../LimitErrorAnswers.ts"
import * as ErrorAnswer from "../ErrorAnswer.ts"
import type { ServiceError } from "../ServiceErrors.ts"
import * as BrowserOrigin from "./BrowserOrigin.ts"

export interface Admitted<Caller> {
  readonly caller: Caller
  /** Headers that every answer to the call carries; `Answer.noHeaders` for most. */
  readonly headers: Answer.Headers
}

export class Admission extends Context.Service<
  Admission,
  {
    /**
     * The check of a route's scope, and of what it is to tokens, made once for each. Throws for `null`, which is a bug. The
     * result is an `Exit` for a key in memory.
     */
    gate(
      requires: Scope | null,
      tokens: TokenUse
    ): (arrival: BrowserOrigin.Arrival) => Effect.Effect<Admitted<Caller>, ServiceError>
  }
>()("inferlog/src/edges/http/edge/Admission") {
  static readonly layer = Layer.effect(
    Admission,
    Effect.gen(function* () {
      const authentication = yield* Authentication
      const rateLimits = yield* RateLimits
      const origins = BrowserOrigin.make(yield* PublicUrls)

      const gate: Admission["Service"]["gate"] = (requires, tokens) => {
        if (requires === null) throw new Error("expected a scope of every route that asks for a key")
        const missing = ErrorAnswer.missingScope(requires)

        const limited = (caller: Caller): Effect.Effect<Admitted<Caller>, ErrorAnswer.ErrorAnswer> =>
          Effect.flatMapEager(underRates(rateLimits, caller), (headers) =>
            isGranted(caller, requires)
              ? Effect.succeed({ caller, headers })
              : Effect.fail(ErrorAnswer.missingScope(requires, headers))
          )

        const admitted = (caller: Caller): Effect.Effect<Admitted<Caller>, ErrorAnswer.ErrorAnswer> => {
          if (isLimited(caller)) return limited(caller)
          return isGranted(caller, requires)
            ? Effect.succeed({ caller, headers: Answer.noHeaders })
            : Effect.fail(missing)
        }

        const judged = (caller: Caller, arrival: BrowserOrigin.Arrival) => {
          const { origin } = arrival.headers
          if (origin !== undefined && !origins.admits(caller.grant, origin, arrival)) {
            return Effect.fail(ErrorAnswer.originNotAllowed)
          }
          if (caller.token !== null && !allowsCall(caller.token, tokens)) {
            return Effect.fail(ErrorAnswer.tokenNotGranted)
          }
          return admitted(caller)
        }

        return (arrival) => {
          const { authorization, origin } = arrival.headers
          const found = authentication.authenticate(authorization)
          const entered = Effect.flatMapEager(found, (caller) => judged(caller, arrival))
          if (origin === undefined) return entered
          return Effect.catchTag(entered, "Unauthorized", (error) => {
            origins.refused(arrival)
            return Effect.fail(error)
          })
        }
      }

      return Admission.of({ gate })
    })
  )
}

/** Counts the call if its caller has rates. Returns the header fields with the remaining calls. */
export const underRates = (
  rateLimits: RateLimits["Service"],
  caller: Caller
): Effect.Effect<Answer.Headers, ErrorAnswer.ErrorAnswer> => {
  if (!isLimited(caller)) return Effect.succeed(Answer.noHeaders)
  const { refusedBy, standings } = rateLimits.take(caller)
  const headers = RateLimitFields.ofRates(standings)
  return refusedBy === null
    ? Effect.succeed(headers)
    : Effect.fail(LimitErrorAnswers.rateExceeded(refusedBy, headers))
}

const isGranted = ({ grant }: Caller, scope: Scope): boolean => grant.scopes.includes(scope)
