/** `GET /keys/{id}`: one key as it is now, without its secret. */
import { Effect } from "effect"
import { KeyRing } from "#src/features/accounts/KeyRing.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as KeyView from "#src/features/accounts/views/KeyView.ts"
import type { KeyCall } from "./KeyCall.ts"

export const make = Effect.gen(function* () {
  const keyRing = yield* KeyRing

  return Effect.fnUntraced(function* ({ caller, params }: KeyCall) {
    return Answer.json(200, KeyView.record(yield* keyRing.get({ caller, id: params.keyId })))
  })
})
