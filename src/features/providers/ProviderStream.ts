/** One request to a provider and its answer as it arrives, for protocols that stream. */
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, type Scope, Stream } from "effect"
import type { Dispatcher } from "undici"
import { type Exchange, flatten, reasonOf } from "./ProviderExchange.ts"
import type { NoAnswer } from "./NoAnswer.ts"

type Reason = NoAnswer["reason"]

export interface Opened {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Read it once, within the scope. */
  readonly body: Stream.Stream<Uint8Array, Reason>
}

const respond = (dispatcher: Dispatcher, options: Dispatcher.RequestOptions) =>
  Effect.callback<Dispatcher.ResponseData, Reason>((resume) => {
    dispatcher.request(options, (cause, response) => {
      // Added in the same tick as the response: a body that is destroyed without an error listener ends the process.
      response?.body?.on("error", () => {})
      resume(cause === null ? Effect.succeed(response) : Effect.fail(reasonOf(cause)))
    })
  })

/** undici's `request` has no event for a written request. */
const telling = (dispatcher: Dispatcher, onSent: () => void): Dispatcher =>
  dispatcher.compose((dispatch) => (options, handler) => {
    const onRequestStart = handler.onRequestStart?.bind(handler)
    handler.onRequestStart = (...started) => {
      onSent()
      onRequestStart?.(...started)
    }
    return dispatch(options, handler)
  })

const capped = (body: Stream.Stream<Uint8Array, Reason>, maxBytes: number) =>
  Stream.mapAccumEffect(
    body,
    () => 0,
    (size, part) =>
      size + part.length > maxBytes
        ? Effect.fail<Reason>("too_large")
        : Effect.succeed([size + part.length, [part]] as const)
  )

/** Closing the scope closes the connection of an unread answer, which ends the call. Has no deadline. */
export const open = Effect.fnUntraced(function* (
  dispatcher: Dispatcher,
  { maxBytes, onSent, ...request }: Exchange
): Effect.fn.Return<Opened, Reason, Scope.Scope> {
  const ending = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  const response = yield* respond(telling(dispatcher, onSent), {
    ...request,
    headers: { ...request.headers },
    signal: ending.signal
  })
  const headers = flatten(response.headers)
  if (Number(headers["content-length"]) > maxBytes) return yield* Effect.fail<Reason>("too_large")
  const body = NodeStream.fromReadable({ evaluate: () => response.body, onError: reasonOf, chunkSize: 1 })
  return { status: response.statusCode, headers, body: capped(body, maxBytes) }
})
