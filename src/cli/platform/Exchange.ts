/** One HTTP exchange, with readable failures. A stalled exchange fails. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Duration, Effect, Layer, Predicate } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import { describe } from "#src/cli/Failure.ts"
import * as CallErrors from "./CallErrors.ts"

/** Requests carry only the given headers. */
export const layerClient = Layer.merge(
  NodeHttpClient.layerUndici,
  Layer.succeed(HttpClient.TracerPropagationEnabled, false)
)

/** When several addresses fail, each has its own error, and the combined error has no message. */
const firstOf = (cause: unknown): unknown => (cause instanceof AggregateError ? cause.errors[0] : cause)

export const messageOf = (cause: unknown): string => (cause === undefined ? "no message" : describe(cause))

/** The message of the operating system or of the connection. */
export const causeOf = (error: HttpClientError): unknown =>
  Predicate.hasProperty(error.reason, "cause") ? firstOf(error.reason.cause) : error

export const unreachable = (url: string) => (error: HttpClientError) =>
  new CallErrors.Unreachable({ origin: new URL(url).origin, reason: messageOf(causeOf(error)) })

/** Fails unless the status is 2xx or in `accepts`; a redirect fails too. Does not read the body. */
export const answered = Effect.fnUntraced(function* <R>(
  url: string,
  exchange: Effect.Effect<HttpClientResponse, HttpClientError, R>,
  accepts: ReadonlyArray<number> = []
) {
  const answer = yield* Effect.mapError(exchange, unreachable(url))
  if (answer.status < 300 || accepts.includes(answer.status)) return answer
  const { headers, status } = answer
  const text = yield* Effect.orElseSucceed(answer.text, () => "")
  const now = yield* Clock.currentTimeMillis
  return yield* CallErrors.of({ status, text, retryAfter: headers["retry-after"], now })
})

export const send = (request: HttpClientRequest, accepts: ReadonlyArray<number> = []) =>
  answered(request.url, HttpClient.execute(request), accepts)

/** Longest time without progress: the server hashes and syncs a part before it responds. A stall may take twice that. */
const longestStall = Duration.minutes(3)

/** Fails when the exchange with the URL stalls. `run` reports progress. */
export const guarded = <A, E, R>(
  url: string,
  run: (moved: Effect.Effect<void>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | CallErrors.Unreachable, R> =>
  Effect.suspend(() => {
    let hasMoved = true
    const moved = Effect.sync(() => {
      hasMoved = true
    })
    const check = Effect.suspend(() => {
      if (hasMoved) {
        hasMoved = false
        return Effect.void
      }
      const reason = `no progress for ${Duration.toMinutes(longestStall)} minutes`
      return Effect.fail(new CallErrors.Unreachable({ origin: new URL(url).origin, reason }))
    })
    const watch = Effect.forever(Effect.andThen(check, Effect.sleep(longestStall)))
    return Effect.raceFirst(run(moved), watch)
  })
