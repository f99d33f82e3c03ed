/** `DELETE /keys/{id}`: 204, also repeated; from then on the key is refused. */
import { Effect } from "effect"
import { KeyRing } from "#src/features/accounts/KeyRing.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import type { KeyCall } from "./KeyCall.ts"

export const make = Effect.gen(function* () {
  const keyRing = yield* KeyRing

  return Effect.fnUntraced(function* ({ caller, params }: KeyCall) {
    yield* keyRing.revoke({ caller, id: params.keyId })
    return Answer.empty(204, { "cache-control": "no-store" })
  })
})
