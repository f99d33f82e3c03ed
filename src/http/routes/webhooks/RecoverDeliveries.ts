/** `POST /webhooks/deliveries/recover`: 202 with how many failed deliveries are sent again (decisions, "More routes"). */
import { Effect, Result } from "effect"
import type { Caller } from "#src/accounts/Caller.ts"
import { SteadyTime } from "#src/SteadyTime.ts"
import { Webhooks } from "#src/webhooks/Webhooks.ts"
import * as Answer from "../../Answer.ts"
import * as Refusal from "../../Refusal.ts"
import * as BodyHeaders from "../../requests/BodyHeaders.ts"
import * as JsonBody from "../../requests/JsonBody.ts"
import * as RecoverBody from "../../requests/RecoverBody.ts"
import type { RequestHeaders } from "../../requests/RequestHeaders.ts"

export interface RecoverDeliveriesCall {
  readonly caller: Caller
  readonly headers: RequestHeaders
  /** Not run before the headers are found good. */
  readonly readBody: Effect.Effect<Uint8Array, Refusal.Refusal>
}

export const make = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const steady = yield* SteadyTime

  return Effect.fnUntraced(function* ({ caller, headers, readBody }: RecoverDeliveriesCall) {
    yield* Effect.fromResult(BodyHeaders.check(headers))
    const body = yield* Effect.fromResult(JsonBody.parseObject(yield* readBody))
    const time = RecoverBody.parse(body, yield* steady.now)
    if (Result.isFailure(time)) return yield* Refusal.invalid(time.failure)
    return Answer.json(202, { count: yield* webhooks.recover({ caller, ...time.success }) })
  })
})
