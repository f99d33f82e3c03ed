/** `…/requests/{id}/cancel`: 200 with the state it leads to, whatever that is (decisions, "Cancel"). */
import { Clock, Effect } from "effect"
import { PublicUrls } from "#src/PublicUrls.ts"
import { Requests } from "#src/requests/Requests.ts"
import * as Answer from "../Answer.ts"
import { endpointOf } from "../requests/EndpointParams.ts"
import * as RequestIdParam from "../requests/RequestIdParam.ts"
import * as StatusView from "../views/StatusView.ts"
import type { RequestCall } from "./RequestCall.ts"

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const { queueUrl } = yield* PublicUrls

  return Effect.fnUntraced(function* ({ caller, params }: RequestCall) {
    const id = yield* Effect.fromResult(RequestIdParam.parse(params.requestId))
    const snapshot = yield* requests.cancel({ caller, id, endpoint: endpointOf(params) })
    const body = StatusView.current(queueUrl, snapshot, yield* Clock.currentTimeMillis)
    return Answer.json(200, { ...body, cancel: snapshot.cancel })
  })
})
