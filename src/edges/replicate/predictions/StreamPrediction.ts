/** `GET …/predictions/{id}/stream`: the output as server-sent events, at the URL that the prediction names. */
import type { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { allowsOrigin } from "#domain/account/Grant.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { RateLimits } from "#src/features/accounts/RateLimits.ts"
import { LiveOutput } from "#src/features/live-output/LiveOutput.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as RequestRoute from "#src/edges/api/requests/RequestRoute.ts"
import * as StreamRoute from "#src/edges/api/requests/streams/StreamRoute.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { AnswersHead } from "#src/edges/http/api/RouteAnnotations.ts"
import { underRates } from "#src/edges/http/edge/Admission.ts"
import * as BrowserOrigin from "#src/edges/http/edge/BrowserOrigin.ts"
import { EventStreams } from "#src/edges/http/edge/EventStreams.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as Paths from "../Paths.ts"
import * as ReplicateErrors from "../ReplicateErrors.ts"
import * as OutputEvents from "./OutputEvents.ts"
import * as Predictions from "./Predictions.ts"
import * as StreamUrls from "./StreamUrls.ts"

const endpoint = HttpApiEndpoint.get(
  "streamReplicatePrediction",
  `${Paths.root}/predictions/:predictionId/stream`,
  {
    params: { predictionId: RequestRoute.described("The id of the request.") },
    query: { token: ListParameters.required("As in `urls.stream` of the prediction: its credential.") },
    headers: { "last-event-id": RequestRoute.optional("Resumes after the chunk with this id.") },
    success: StreamRoute.success(
      "`output` events with an `id` and a part of the output as text; `error`; and at the end `done`.",
      OutputEvents.example
    ),
    error: [...ReplicateErrors.ofKeys, ReplicateErrors.notFound]
  }
)
  .annotate(AnswersHead, false)
  .annotate(OpenApi.Summary, "Follow the output of a prediction")
  .annotate(
    OpenApi.Description,
    "Server-sent events. The URL has its own credential, the key that read the prediction, for this prediction and an hour; `Authorization` is ignored."
  )

export const streamPrediction = Route.prepared(
  endpoint,
  Effect.gen(function* () {
    const predictions = yield* Predictions.make
    const streamUrls = yield* StreamUrls.make
    const rateLimits = yield* RateLimits
    const streams = yield* EventStreams
    const live = yield* LiveOutput
    const urls = yield* PublicUrls
    const origins = BrowserOrigin.make(urls)

    /** As for other calls with the key. The README's `EventSource` includes credentials, though there are no cookies. */
    const checkOrigin = (request: HttpServerRequest, { grant }: Caller) =>
      Effect.suspend(() => {
        const { headers } = request
        const { origin } = headers
        if (origin === undefined) return Effect.void
        // The server speaks only HTTP/1.
        const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
        if (!origins.admits(grant, origin, { headers, response: () => response })) {
          return Effect.fail(ErrorAnswer.originNotAllowed)
        }
        if (allowsOrigin(grant, origin)) response.setHeader("access-control-allow-credentials", "true")
        return Effect.void
      })

    return Effect.fnUntraced(function* ({ params, query, request }: Route.Call<typeof endpoint>) {
      const { caller, presented } = yield* streamUrls.open(params.predictionId, query.token)
      yield* checkOrigin(request, caller)
      const headers = yield* underRates(rateLimits, caller)
      if (!caller.grant.scopes.includes("requests:read")) {
        return yield* ErrorAnswer.missingScope("requests:read", headers)
      }
      const snapshot = yield* predictions.find(caller, params.predictionId)
      const kind = yield* live.kindOf(snapshot)
      const after = request.headers["last-event-id"] ?? null
      const lastWords = () => OutputEvents.cutOff
      return yield* streams.serve({ caller, headers, request, presented, lastWords }, (stream) => {
        const { lost, reader } = OutputEvents.make(stream, { isResumed: after !== null, kind })
        const whole = Effect.map(live.follow({ snapshot, after, reader }), (ended) => {
          stream.write(OutputEvents.done(urls, ended))
        })
        return Effect.raceFirst(whole, lost)
      })
    })
  })
)
