/** `POST /webhooks/deliveries/recover`: 202 with how many failed deliveries are sent again (decisions, "More routes"). */
import { Effect, Result } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { Webhooks } from "#src/features/webhooks/Webhooks.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as JsonObjectBody from "#src/edges/http/requests/JsonObjectBody.ts"
import * as RecoverBody from "./RecoverBody.ts"

export interface RecoverDeliveriesCall extends JsonObjectBody.Sent {
  readonly caller: Caller
}

export const make = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const steady = yield* SteadyTime

  return Effect.fnUntraced(function* ({ caller, ...sent }: RecoverDeliveriesCall) {
    const body = yield* JsonObjectBody.read(sent)
    const time = RecoverBody.parse(body, yield* steady.now)
    if (Result.isFailure(time)) return yield* Refusal.invalid(time.failure)
    return Answer.json(202, { count: yield* webhooks.recover({ caller, ...time.success }) })
  })
})
