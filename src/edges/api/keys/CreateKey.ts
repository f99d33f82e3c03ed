/** `POST /keys`: 201 with the new key, whose secret is shown this once. */
import { Clock, Effect, Result } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { KeyRing } from "#src/features/accounts/KeyRing.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as JsonObjectBody from "#src/edges/http/requests/JsonObjectBody.ts"
import * as KeyBody from "./KeyBody.ts"
import * as KeyView from "#src/features/accounts/views/KeyView.ts"

export interface CreateKeyCall extends JsonObjectBody.Sent {
  readonly caller: Caller
}

export const make = Effect.gen(function* () {
  const keyRing = yield* KeyRing

  return Effect.fnUntraced(function* ({ caller, ...sent }: CreateKeyCall) {
    const body = yield* JsonObjectBody.read(sent)
    const parsed = KeyBody.parse(body, yield* Clock.currentTimeMillis)
    if (Result.isFailure(parsed)) return yield* Refusal.invalid(parsed.failure)
    return Answer.json(201, KeyView.opened(yield* keyRing.issue({ caller, ...parsed.success })))
  })
})
