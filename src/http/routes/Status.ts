/** `GET /{owner}/{model}/requests/{id}/status`, made for being polled (decisions, "Polling load"). */
import { Effect } from "effect"
import { isTerminal } from "#domain/inference-request/State.ts"
import { status } from "#domain/inference-request/Status.ts"
import { PublicUrls } from "#src/PublicUrls.ts"
import { Requests, type Snapshot } from "#src/requests/Requests.ts"
import * as Answer from "../Answer.ts"
import * as Refusal from "../Refusal.ts"
import * as EntityTag from "../requests/EntityTag.ts"
import type { RequestHeaders } from "../requests/RequestHeaders.ts"
import * as WaitQuery from "../requests/WaitQuery.ts"
import { Stopping } from "../Stopping.ts"
import * as StatusView from "../views/StatusView.ts"
import * as RequestCall from "./RequestCall.ts"

export interface StatusCall extends RequestCall.RequestCall {
  readonly headers: RequestHeaders
  /** The query parameter of that name. */
  readonly wait: string | undefined
}

/** Raised when the same snapshot is shown differently, so that no client keeps the older form. */
const viewVersion = 1

const tagOf = ({ id, version }: Snapshot): string => EntityTag.make(viewVersion, id, version)

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const { queueUrl } = yield* PublicUrls
  const stopping = yield* Stopping

  return Effect.fnUntraced(function* (call: StatusCall) {
    const waitMs = yield* Effect.fromResult(WaitQuery.parse(call.wait)).pipe(Effect.mapError(Refusal.invalid))
    const known = call.headers["if-none-match"]
    const found = yield* RequestCall.find(requests, call)
    // A client whose last answer is out of date has waited long enough.
    const holds =
      waitMs > 0 &&
      !isTerminal(found.request.phase) &&
      (known === undefined || EntityTag.isMatch(known, tagOf(found)))
    const snapshot = holds
      ? yield* Effect.raceFirst(
          requests.waitUntil(found, (next) => status(next.request) !== status(found.request), waitMs),
          Effect.andThen(stopping, Refusal.stopping)
        )
      : found
    const body = StatusView.current(queueUrl, snapshot)
    if (body.status === "FAILED") return Answer.json(400, body)
    const headers = { etag: tagOf(snapshot), "cache-control": "private, no-cache" }
    return known !== undefined && EntityTag.isMatch(known, headers.etag)
      ? Answer.empty(304, headers)
      : Answer.json(200, body, headers)
  })
})
