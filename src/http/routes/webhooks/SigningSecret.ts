/** `GET /webhooks/default/secret` and `POST …/rotate`: what the account's webhooks are signed with. */
import { Effect, Redacted } from "effect"
import type { Caller } from "#src/accounts/Caller.ts"
import { SigningSecrets } from "#src/webhooks/SigningSecrets.ts"
import * as Answer from "../../Answer.ts"
import * as DateTime from "../../views/DateTime.ts"

export const make = Effect.gen(function* () {
  const secrets = yield* SigningSecrets

  return {
    current: Effect.fnUntraced(function* ({ accountId }: Caller) {
      return Answer.json(200, { key: Redacted.value(yield* secrets.current(accountId)) })
    }),

    rotate: Effect.fnUntraced(function* ({ accountId }: Caller) {
      const { key, previousKeyExpiresAt } = yield* secrets.rotate(accountId)
      return Answer.json(200, {
        key: Redacted.value(key),
        previousKeyExpiresAt: DateTime.formatNullable(previousKeyExpiresAt)
      })
    })
  }
})
