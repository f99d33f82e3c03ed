/**
 * Who gets in, the same by every way to a route: the key (401), how often it may call (429), and what it is granted (403), in
 * this order and before anything else of a request is looked at.
 */
import { Context, Effect, Layer } from "effect"
import type { Scope } from "#domain/account/Grant.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { isLimited, RateLimits } from "#src/features/accounts/RateLimits.ts"
import * as Answer from "../Answer.ts"
import * as RateLimitFields from "../RateLimitFields.ts"
import * as LimitRefusals from "../LimitRefusals.ts"
import * as Refusal from "../Refusal.ts"
import type { ServiceError } from "../ServiceErrors.ts"

export interface Admitted<Caller> {
  readonly caller: Caller
  /** What every answer to the call has to carry; `Answer.noHeaders` for most. */
  readonly headers: Answer.Headers
}

export class Admission extends Context.Service<
  Admission,
  {
    /**
     * The way in to the routes that need this scope, made once for each. It takes the `Authorization` header.
     * A route that asks for a key and says no scope is a bug: it throws.
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
        const missing = Refusal.missingScope(requires)

        const limited = (caller: Caller): Effect.Effect<Admitted<Caller>, Refusal.Refusal> =>
          Effect.flatMap(underRates(rateLimits, caller), (headers) =>
            isGranted(caller, requires)
              ? Effect.succeed({ caller, headers })
              : Effect.fail(Refusal.missingScope(requires, headers))
          )

        return (authorization) =>
          Effect.flatMap(authentication.authenticate(authorization), (caller) => {
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

/** Counts a call, if anything limits its caller. Gives the fields that tell what the rates leave. */
export const underRates = (
  rateLimits: RateLimits["Service"],
  caller: Caller
): Effect.Effect<Answer.Headers, Refusal.Refusal> => {
  if (!isLimited(caller)) return Effect.succeed(Answer.noHeaders)
  const { refusedBy, standings } = rateLimits.take(caller)
  const headers = RateLimitFields.ofRates(standings)
  return refusedBy === null
    ? Effect.succeed(headers)
    : Effect.fail(LimitRefusals.rateExceeded(refusedBy, headers))
}

const isGranted = ({ grant }: Caller, scope: Scope): boolean => grant.scopes.includes(scope)
