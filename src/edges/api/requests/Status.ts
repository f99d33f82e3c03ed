/** `GET /{owner}/{model}/requests/{id}/status`, made for being polled (decisions, "Polling load"). */
import { Clock, Effect } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { Requires, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as RequestRoute from "./RequestRoute.ts"
import { isTerminal } from "#domain/inference-request/State.ts"
import { status } from "#domain/inference-request/Status.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as WaitingFor from "#src/features/provider-health/WaitingFor.ts"
import { Requests, type Snapshot } from "#src/features/requests/Requests.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as EntityTag from "#src/edges/http/requests/EntityTag.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"
import * as Wait from "./Wait.ts"
import { Stopping } from "#src/edges/http/Stopping.ts"
import * as StatusView from "#src/features/requests/views/StatusView.ts"

export const endpoint = HttpApiEndpoint.get(
  "getRequestStatus",
  "/:ownerName/:modelName/requests/:requestId/status",
  {
    params: RequestRoute.paramsOfModel,
    query: {
      wait: RequestRoute.optional(
        "Holds the answer until the status changes, for at most this many seconds, 0 to 60."
      )
    },
    headers: { "if-none-match": RequestRoute.optional("`ETag` of the last answer.") },
    success: [
      HttpApiSchema.WithHeaders(StatusView.StatusBody, {
        etag: RequestRoute.described("For `If-None-Match`.")
      }),
      CommonResponses.notModified
    ],
    error: [StatusView.FailedBody.pipe(HttpApiSchema.status(400)), ...CommonResponses.usualOfOne]
  }
)
  .annotate(Requires, "requests:read")
  .annotate(TakesTokens, "request")
  .annotate(OpenApi.Summary, "Status of a request")
  .annotate(OpenApi.Description, "A request that is `FAILED` answers 400, with the same body and an `error`.")

export interface StatusCall extends RequestRoute.RequestCall {
  readonly headers: RequestHeaders
  /** The query parameter of that name. */
  readonly wait: string | undefined
}

/** Raised when the form of the answer changes, so that cached tags do not match. */
const viewVersion = 2

/** The client may store the answer and must revalidate it. */
const cacheControl = "private, no-cache"

interface StatusAnswer {
  readonly answer: Answer.Answer
  /** `null` for an answer that must not be cached. */
  readonly etag: string | null
}

const tell = (...shown: Parameters<typeof StatusView.current>): StatusAnswer => {
  const [, snapshot, { wait }] = shown
  const body = StatusView.current(...shown)
  if (body.status === "FAILED") return { answer: Answer.json(400, body), etag: null }
  const etag = tagOf(snapshot, wait)
  return { answer: Answer.json(200, body, { etag, "cache-control": cacheControl }), etag }
}

/** The run time changes without a new tag, so the tag of a running request is weak (RFC 9110, 8.8.1). */
const tagOf = ({ id, request, version }: Snapshot, wait: WaitingFor.Wait | null): string => {
  const tag = EntityTag.make(viewVersion, id, version, ...(wait === null ? [] : [wait.reason]))
  return request.phase._tag === "Running" ? EntityTag.weak(tag) : tag
}

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const { queueUrl } = yield* PublicUrls
  const stopping = yield* Stopping
  const clock = yield* Clock.Clock
  const waitingFor = yield* WaitingFor.WaitingFor
  const waitOf = ({ request }: Snapshot) => WaitingFor.ofRequest(waitingFor, request)
  /** Answers by state: an answer changes only with an event, except for the run time and the reason for waiting. */
  const answers = new WeakMap<Snapshot["request"], StatusAnswer>()

  const told = (snapshot: Snapshot): StatusAnswer => {
    const wait = waitOf(snapshot)
    const before = wait === null ? answers.get(snapshot.request) : undefined
    if (before !== undefined) return before
    const made = tell(queueUrl, snapshot, { now: clock.currentTimeMillisUnsafe(), wait })
    if (wait === null && snapshot.request.phase._tag !== "Running") answers.set(snapshot.request, made)
    return made
  }

  const show = ({ headers }: StatusCall, snapshot: Snapshot): Answer.Answer => {
    const { answer, etag } = told(snapshot)
    const known = headers["if-none-match"]
    return etag !== null && known !== undefined && EntityTag.isMatch(known, etag)
      ? Answer.empty(304, { etag, "cache-control": cacheControl })
      : answer
  }

  const hold = Effect.fnUntraced(function* (call: StatusCall) {
    const waitMs = yield* Effect.fromResult(Wait.queried(call.wait, 0)).pipe(
      Effect.mapError(ErrorAnswer.invalid)
    )
    const found = yield* RequestRoute.find(requests, call)
    const known = call.headers["if-none-match"]
    // A client with an outdated tag gets the new answer at once.
    const isCurrent = known === undefined || EntityTag.isMatch(known, tagOf(found, waitOf(found)))
    if (waitMs === 0 || isTerminal(found.request.phase) || !isCurrent) return show(call, found)
    const next = yield* Effect.raceFirst(
      requests.waitUntil(found, ({ request }) => status(request) !== status(found.request), waitMs),
      Effect.andThen(stopping, ErrorAnswer.stopping)
    )
    return show(call, next)
  })

  return (call: StatusCall) =>
    call.wait === undefined
      ? Effect.mapEager(RequestRoute.find(requests, call), (snapshot) => show(call, snapshot))
      : hold(call)
})
