/** Follows one request: its status, its end, and its result. */
import { type Attempts, mayPass } from "./Attempts.ts"
import { ApiError } from "./ApiError.ts"
import { eventsOf, isEventStream, parsed } from "./EventStream.ts"
import { TokenNotGrantedError } from "./Errors.ts"
import type { Http } from "./Http.ts"
import { RequestOutcomeError } from "./OutcomeErrors.ts"
import { locate, type Located, type RequestRef, retrieve } from "./RequestRef.ts"
import type { CallOptions, CallScope } from "./Scope.ts"
import type {
  CancelledRequestStatus,
  CancelledRequestStatusFailed,
  RequestStatus,
  RetrievedRequest
} from "./Wire.ts"

/** The provider could not run the request. */
export type FailedRequestStatus = Omit<CancelledRequestStatusFailed, "cancel">
export type CurrentStatus = RequestStatus | FailedRequestStatus

export interface WaitOptions extends CallOptions {
  /** Called with each status on the way, the last one included. */
  readonly onStatus?: ((status: CurrentStatus) => void) | undefined
}

/** For how long the server may hold the answer about a status, in seconds. */
const heldFor = 30
const heldInFallback = 20
/** The time between two answers that say nothing new, in ms. */
const shortest = 1_000
/** After so many connections in a row without an event, the client polls. */
const patience = 3

export const isTerminal = ({ status }: { readonly status: string }): boolean =>
  status === "COMPLETED" || status === "FAILED" || status === "CANCELLED"

/** The status now, or with `wait` (seconds) at its next change. A failed request is a status, though its answer is a 400. */
export const statusOf = (
  http: Http,
  { path }: Located,
  scope: CallScope,
  wait?: number
): Promise<CurrentStatus> =>
  http.json(
    {
      host: "queue",
      path: `${path}/status`,
      query: { wait },
      held: (wait ?? 0) * 1_000,
      accepts: ({ request_id, status }) => status === "FAILED" && request_id !== undefined
    },
    scope
  )

export const cancelOf = (
  http: Http,
  { path }: Located,
  scope: CallScope,
  attempts?: Attempts
): Promise<CancelledRequestStatus> =>
  http.json({ method: "POST", host: "queue", path: `${path}/cancel` }, scope, attempts)

/** The request once it has ended. */
export const ended = async (
  http: Http,
  located: Located,
  { onStatus }: WaitOptions,
  scope: CallScope
): Promise<RetrievedRequest> => {
  let last: CurrentStatus | undefined
  for await (const status of polled(http, located, heldFor, scope)) {
    last = status
    onStatus?.(status)
  }
  try {
    while (true) {
      const request = await retrieve(http, located.id, scope)
      if (request.outcome !== "pending") return request
      // Another node answers, which has not received the end yet.
      await scope.race(http.clock.sleep(shortest, scope.signal))
    }
  } catch (error) {
    // A page's token that submits opens the result only (docs/apps/browsers.md).
    if (!(error instanceof TokenNotGrantedError)) throw error
    return asResult(http, located, last?.status, scope)
  }
}

/** The ended request, as far as the result route shows it. */
const asResult = async (
  http: Http,
  { id, model, path }: Located,
  status: string | undefined,
  scope: CallScope
): Promise<RetrievedRequest> => {
  try {
    return await http.json({ host: "queue", path }, scope)
  } catch (error) {
    if (!(error instanceof RequestOutcomeError)) throw error
    const { message, request } = error
    const outcome = status === "FAILED" ? "failed" : "cancelled"
    const known = { id, modelEndpoint: model, status, outcome, input: null, output: null, error: message }
    return (request ?? known) as RetrievedRequest
  }
}

/** Each answer about the status until the last one. `held`: seconds for which the server may hold it. */
async function* polled(
  http: Http,
  located: Located,
  held: number,
  scope: CallScope
): AsyncGenerator<CurrentStatus> {
  for (let last = ""; ;) {
    const asked = http.clock.now()
    const status = await statusOf(http, located, scope, held)
    yield status
    if (isTerminal(status)) return
    // A proxy answers at once, in place of the server that would hold the answer.
    const before = last
    last = JSON.stringify(status)
    if (before === last && http.clock.now() - asked < shortest) {
      await scope.race(http.clock.sleep(shortest, scope.signal))
    }
  }
}

/** Yields each status once, up to the last one. Reads the event stream, and polls if no stream can be opened. */
export async function* statuses(
  http: Http,
  ref: RequestRef,
  scope: CallScope
): AsyncGenerator<CurrentStatus> {
  const located = await locate(http, ref, scope)
  let last = ""
  for (const source of [streamed, polled]) {
    for await (const status of source(http, located, heldInFallback, scope)) {
      const text = JSON.stringify(status)
      if (text !== last) yield status
      if (isTerminal(status)) return
      last = text
    }
  }
}

/** Statuses from as many connections as it takes. Ends without the last one where a stream is not to be had. */
async function* streamed(
  http: Http,
  { path }: Located,
  _held: number,
  scope: CallScope
): AsyncGenerator<CurrentStatus> {
  const attempts = http.attempts(scope)
  const exchange = {
    host: "queue",
    path: `${path}/status/stream`,
    headers: { accept: "text/event-stream" }
  } as const
  while (true) {
    try {
      const opened = await http.connect(exchange, scope, attempts)
      if (!isEventStream(opened)) return opened.close()
      for await (const { data } of eventsOf(opened, attempts)) {
        if (data !== undefined) yield parsed<CurrentStatus>(data)
      }
    } catch (error) {
      const isRefused = error instanceof ApiError && (error.status === 429 || error.status === 503)
      if (isRefused || (mayPass(error) && attempts.failed === patience - 1)) return
      await attempts.next(error)
    }
  }
}
