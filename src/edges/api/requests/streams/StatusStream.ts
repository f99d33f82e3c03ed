/** `GET /{owner}/{model}/requests/{id}/status/stream`: one request's status until it ends (decisions, "Client habits"). */
import { Clock, Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { isTerminal } from "#domain/inference-request/State.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as WaitingFor from "#src/features/provider-health/WaitingFor.ts"
import { Requests, type Snapshot } from "#src/features/requests/Requests.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import type { EventStream } from "#src/edges/http/edge/EventStream.ts"
import { EventStreams } from "#src/edges/http/edge/EventStreams.ts"
import * as RequestRoute from "../RequestRoute.ts"
import * as StreamRoute from "./StreamRoute.ts"
import * as StreamView from "./StreamView.ts"

const endpoint = HttpApiEndpoint.get(
  "streamRequestStatus",
  "/:ownerName/:modelName/requests/:requestId/status/stream",
  {
    params: RequestRoute.paramsOfModel,
    success: StreamRoute.success(
      "The status object, sent at once and again after each change. The last one is terminal.",
      `data: ${JSON.stringify(StreamRoute.exampleBody)}\n\n`
    ),
    error: StreamRoute.errors
  }
)
  .annotate(ServedOn, ["queue"])
  .annotate(TakesTokens, "request")
  .annotate(OpenApi.Summary, "Follow a request")
  .annotate(
    OpenApi.Description,
    "Server-sent events without name or id: the body of `GET …/status` until the request has ended."
  )

/** How long to wait for a change before reading the request again, ms. */
const lookMs = 60_000

export const streamStatus = Route.prepared(
  endpoint,
  Effect.gen(function* () {
    const requests = yield* Requests
    const streams = yield* EventStreams
    const { queueUrl } = yield* PublicUrls
    const waitingFor = yield* WaitingFor.WaitingFor

    const send = Effect.fnUntraced(function* (stream: EventStream, found: Snapshot) {
      let shown = found
      let sent = ""
      while (true) {
        const now = yield* Clock.currentTimeMillis
        const wait = WaitingFor.ofRequest(waitingFor, shown.request)
        const text = StreamView.message(queueUrl, shown, { now, wait })
        // A change that the client cannot see is not sent.
        if (text !== sent) stream.write(text)
        sent = text
        if (isTerminal(shown.request.phase)) return
        yield* stream.ready
        shown = yield* requests.waitUntil(shown, ({ version }) => version !== shown.version, lookMs)
      }
    })

    return Effect.fnUntraced(function* (
      { headers, params, request }: Route.Call<typeof endpoint>,
      caller: Caller
    ) {
      const found = yield* RequestRoute.find(requests, { caller, params })
      return yield* streams.serve({ caller, headers, request }, (stream) => send(stream, found))
    })
  })
)
