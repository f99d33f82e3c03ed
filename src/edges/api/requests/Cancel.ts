/** `…/requests/{id}/cancel`: 200 with the state it leads to, whatever that is (decisions, "Cancel"). */
import { Clock, Effect } from "effect"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as WaitingFor from "#src/features/provider-health/WaitingFor.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import { endpointOf } from "#src/edges/http/requests/EndpointParams.ts"
import * as RequestIdParam from "./RequestIdParam.ts"
import * as StatusView from "#src/features/requests/views/StatusView.ts"
import type { RequestCall } from "./RequestCall.ts"

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const { queueUrl } = yield* PublicUrls
  const waitingFor = yield* WaitingFor.WaitingFor

  return Effect.fnUntraced(function* ({ caller, params }: RequestCall) {
    const id = yield* Effect.fromResult(RequestIdParam.parse(params.requestId))
    const snapshot = yield* requests.cancel({ caller, id, endpoint: endpointOf(params) })
    const now = yield* Clock.currentTimeMillis
    const wait = WaitingFor.ofRequest(waitingFor, snapshot.request)
    const body = StatusView.current(queueUrl, snapshot, { now, wait })
    return Answer.json(200, { ...body, cancel: snapshot.cancel })
  })
})
