/** `GET /{owner}/{model}/requests/{id}/status/stream`: one request's status until it ends (decisions, "Client habits"). */
import { Clock, Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { isTerminal } from "#domain/inference-request/State.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as WaitingFor from "#src/features/provider-health/WaitingFor.ts"
import { Requests, type Snapshot } from "#src/features/requests/Requests.ts"
import type { Headers } from "#src/edges/http/Answer.ts"
import type { EventStream } from "#src/edges/http/edge/EventStream.ts"
import { EventStreams } from "#src/edges/http/edge/EventStreams.ts"
import * as StreamView from "./StreamView.ts"
import * as RequestCall from "../RequestCall.ts"

export interface StatusStreamCall extends RequestCall.RequestCall {
  readonly request: HttpServerRequest
  /** What every answer to the call carries. */
  readonly headers: Headers
}

/** Between two looks at a request that nothing was heard of, ms. */
const lookMs = 60_000

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const streams = yield* EventStreams
  const { queueUrl } = yield* PublicUrls
  const waitingFor = yield* WaitingFor.WaitingFor

  /** What the client does not see is no news. */
  const tell = Effect.fnUntraced(function* (stream: EventStream, found: Snapshot) {
    let shown = found
    let told = ""
    while (true) {
      const now = yield* Clock.currentTimeMillis
      const wait = WaitingFor.ofRequest(waitingFor, shown.request)
      const text = StreamView.message(queueUrl, shown, { now, wait })
      if (text !== told) stream.write(text)
      told = text
      if (isTerminal(shown.request.phase)) return
      yield* stream.ready
      shown = yield* requests.waitUntil(shown, ({ version }) => version !== shown.version, lookMs)
    }
  })

  return Effect.fnUntraced(function* (call: StatusStreamCall) {
    const found = yield* RequestCall.find(requests, call)
    return yield* streams.serve(call, (stream) => tell(stream, found))
  })
})
