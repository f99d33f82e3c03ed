/** Admits calls on every transport alike: checks the key (401), its rates (429) and its scope (403), in this order. */
import { Context, Effect, Layer } from "effect"
import type { Scope } from "#domain/account/Grant.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { isLimited, RateLimits } from "#src/features/accounts/RateLimits.ts"
import * as Answer from "../Answer.ts"
import * as RateLimitFields from "../RateLimitFields.ts"
import * as LimitErrorAnswers from "../LimitErrorAnswers.ts"
import * as ErrorAnswer from "../ErrorAnswer.ts"
import type { ServiceError } from "../ServiceErrors.ts"

export interface Admitted<Caller> {
  readonly caller: Caller
  /** Headers that every answer to the call carries; `Answer.noHeaders` for most. */
  readonly headers: Answer.Headers
}

export class Admission extends Context.Service<
  Admission,
  {
    /**
     * The check of a scope, made once for each, of an `Authorization` header. Throws for `null`, which is a bug. The result
     * is an `Exit` for a key in memory.
     */
    gate(
      requires: Scope | null
    ): (authorization: string | undefined) => Effect.Effect<Admitted<Caller>, ServiceError>
  }
>()("inferlog/src/edges/http/edge/Admission") {
  static readonly layer = Layer.effect(
    Admission,
    Effect.gen(function* () {
      const authentication = yield* Authentication
      const rateLimits = yield* RateLimits

      const gate: Admission["Service"]["gate"] = (requires) => {
        if (requires === null) throw new Error("expected a scope of every route that asks for a key")
        const missing = ErrorAnswer.missingScope(requires)

        const limited = (caller: Caller): Effect.Effect<Admitted<Caller>, ErrorAnswer.ErrorAnswer> =>
          Effect.flatMapEager(underRates(rateLimits, caller), (headers) =>
            isGranted(caller, requires)
              ? Effect.succeed({ caller, headers })
              : Effect.fail(ErrorAnswer.missingScope(requires, headers))
          )

        return (authorization) =>
          Effect.flatMapEager(authentication.authenticate(authorization), (caller) => {
            if (isLimited(caller)) return limited(caller)
            return isGranted(caller, requires)
              ? Effect.succeed({ caller, headers: Answer.noHeaders })
              : Effect.fail(missing)
          })
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
