/** `POST /keys/{id}/rotate`: 200 with the new secret, shown this once. The body may be left out. */
import { Effect, Result } from "effect"
import { KeyRing } from "#src/features/accounts/KeyRing.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as JsonObjectBody from "#src/edges/http/requests/JsonObjectBody.ts"
import * as KeyBody from "./KeyBody.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as KeyView from "#src/features/accounts/views/KeyView.ts"
import type { KeyCall } from "./KeyCall.ts"

export interface RotateKeyCall extends KeyCall, JsonObjectBody.Sent {}

export const make = Effect.gen(function* () {
  const keyRing = yield* KeyRing

  return Effect.fnUntraced(function* ({ caller, headers, params, readBody }: RotateKeyCall) {
    const body = yield* JsonObjectBody.readIfSent({ headers, readBody })
    const graceMs = KeyBody.parseGrace(body)
    if (Result.isFailure(graceMs)) return yield* Refusal.invalid(graceMs.failure)
    const rotated = yield* keyRing.rotate({ caller, id: params.keyId, graceMs: graceMs.success })
    return Answer.json(200, {
      ...KeyView.opened(rotated),
      previousKeyExpiresAt: DateTime.formatNullable(rotated.previousExpiresAt)
    })
  })
})
