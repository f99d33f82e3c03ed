/** `GET /requests/{id}`: 200 with the result object in every state (decisions, "GET /requests/{id}"). */
import { Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Requires, ServedOn, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as RequestRoute from "./RequestRoute.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as WaitingFor from "#src/features/provider-health/WaitingFor.ts"
import { type PayloadTexts, Requests, type Snapshot } from "#src/features/requests/Requests.ts"
import { retentionMs } from "#src/kernel/settings/RetentionTime.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ResultView from "#src/features/requests/views/ResultView.ts"

export const endpoint = HttpApiEndpoint.get("getRequest", "/requests/:requestId", {
  params: RequestRoute.params,
  success: ResultView.RetrievedBody,
  error: CommonResponses.usualOfOne
})
  .annotate(Requires, "requests:read")
  .annotate(TakesTokens, "reads")
  .annotate(ServedOn, ["queue", "platform"])
  .annotate(OpenApi.Summary, "Retrieve a request")
  .annotate(
    OpenApi.Description,
    "The request in any state, by its id alone, for example after a crash of the client."
  )

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const urls = yield* PublicUrls
  const keptMs = yield* retentionMs
  const waitingFor = yield* WaitingFor.WaitingFor

  const shown = { ...urls, keptMs }

  const show = (snapshot: Snapshot, payloads: PayloadTexts): Answer.Answer => {
    const wait = WaitingFor.ofRequest(waitingFor, snapshot.request)
    const body = ResultView.retrieved(shown, snapshot, payloads)
    return Answer.record(200, wait === null ? body : { ...body, ...ResultView.waiting(wait) })
  }

  return (call: RequestRoute.CallById) =>
    Effect.flatMapEager(RequestRoute.findById(requests, call), (snapshot) =>
      Effect.mapEager(RequestRoute.payloadsOf(requests, snapshot), (payloads) => show(snapshot, payloads))
    )
})
