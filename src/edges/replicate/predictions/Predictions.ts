/** What the routes of predictions have in common: finding the request, and showing it. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Requests, type Snapshot } from "#src/features/requests/Requests.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as RequestRoute from "#src/edges/api/requests/RequestRoute.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as PredictionView from "./PredictionView.ts"
import * as StreamUrls from "./StreamUrls.ts"

const unknown = ErrorAnswer.notFound("Prediction")

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const authentication = yield* Authentication
  const urls = yield* PublicUrls
  const steady = yield* SteadyTime
  const streams = yield* StreamUrls.make

  /** A malformed id, and one of another account, are unknown there. */
  const find = (caller: Caller, requestId: string) =>
    Effect.fromResult(RequestRoute.parseId(requestId)).pipe(
      Effect.flatMap((id) => requests.get({ caller, id })),
      Effect.catchTag(["ErrorAnswer", "RequestNotFound", "RequestForbidden"], () => Effect.fail(unknown))
    )

  const show = Effect.fnUntraced(function* ({ headers }: HttpServerRequest, snapshot: Snapshot) {
    const payloads = yield* RequestRoute.payloadsOf(requests, snapshot)
    const presented = yield* authentication.keyOf(headers["authorization"])
    const stream = presented === null ? null : streams.url(snapshot.id, presented, yield* steady.now)
    return PredictionView.record(urls, snapshot, payloads, stream)
  })

  return { find, show }
})
