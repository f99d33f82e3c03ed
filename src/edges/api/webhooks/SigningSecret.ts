/** `GET /webhooks/default/secret` and `POST …/rotate`: what the account's webhooks are signed with. */
import { Effect, Redacted, Result } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { SigningSecrets } from "#src/features/webhooks/SigningSecrets.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as JsonObjectBody from "#src/edges/http/requests/JsonObjectBody.ts"
import * as RotateSecretBody from "./RotateSecretBody.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"

export interface RotateSecretCall extends JsonObjectBody.Sent {
  readonly caller: Caller
}

export const make = Effect.gen(function* () {
  const secrets = yield* SigningSecrets

  return {
    current: Effect.fnUntraced(function* ({ accountId }: Caller) {
      return Answer.json(200, { key: Redacted.value(yield* secrets.current(accountId)) })
    }),

    rotate: Effect.fnUntraced(function* ({ caller, ...sent }: RotateSecretCall) {
      const graceMs = RotateSecretBody.parseGrace(yield* JsonObjectBody.readIfSent(sent))
      if (Result.isFailure(graceMs)) return yield* Refusal.invalid(graceMs.failure)
      const { key, previousKeyExpiresAt } = yield* secrets.rotate(caller.accountId, graceMs.success)
      return Answer.json(200, {
        key: Redacted.value(key),
        previousKeyExpiresAt: DateTime.formatNullable(previousKeyExpiresAt)
      })
    })
  }
})
