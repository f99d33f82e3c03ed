/** `…/requests/{id}/cancel`: 200 with the resulting state (decisions, "Cancel"). */
import { Clock, Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { AnswersHead, Requires, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as RequestRoute from "./RequestRoute.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as WaitingFor from "#src/features/provider-health/WaitingFor.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import { endpointOf } from "#src/edges/http/requests/EndpointParams.ts"
import * as StatusView from "#src/features/requests/views/StatusView.ts"

const cancelPath = "/:ownerName/:modelName/requests/:requestId/cancel"
const cancelOptions = {
  params: RequestRoute.paramsOfModel,
  success: StatusView.CancelBody,
  error: CommonResponses.usualOfOne
}
const describeCancel = (summary: string) =>
  OpenApi.annotations({
    summary,
    description:
      "Cancels a queued request, asks the provider to stop a running one, and has no effect on an ended one. The status shows the result."
  })
const alias = describeCancel("Cancel a request (alias)")

export const byGet = HttpApiEndpoint.get("cancelRequest", cancelPath, {
  ...cancelOptions,
  error: [...CommonResponses.usualOfOne, CommonResponses.methodNotAllowed]
})
  .annotate(Requires, "requests:write")
  .annotate(TakesTokens, "request")
  .annotate(AnswersHead, false)
  .annotateMerge(describeCancel("Cancel a request"))
export const byPut = HttpApiEndpoint.put("cancelRequestByPut", cancelPath, cancelOptions)
  .annotate(Requires, "requests:write")
  .annotate(TakesTokens, "request")
  .annotateMerge(alias)
export const byPost = HttpApiEndpoint.post("cancelRequestByPost", cancelPath, cancelOptions)
  .annotate(Requires, "requests:write")
  .annotate(TakesTokens, "request")
  .annotateMerge(alias)

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const { queueUrl } = yield* PublicUrls
  const waitingFor = yield* WaitingFor.WaitingFor

  return Effect.fnUntraced(function* ({ caller, params }: RequestRoute.RequestCall) {
    const id = yield* Effect.fromResult(RequestRoute.parseId(params.requestId))
    const snapshot = yield* requests.cancel({ caller, id, endpoint: endpointOf(params) })
    const now = yield* Clock.currentTimeMillis
    const wait = WaitingFor.ofRequest(waitingFor, snapshot.request)
    const body = StatusView.current(queueUrl, snapshot, { now, wait })
    return Answer.json(200, { ...body, cancel: snapshot.cancel })
  })
})
