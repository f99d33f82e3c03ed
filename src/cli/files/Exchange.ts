/** One HTTP exchange, with its failures in words. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Effect, Layer, Predicate } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import { describe } from "../Failure.ts"
import * as Refusal from "./Refusal.ts"

/** Requests carry nothing but what they are given. */
export const layerClient = Layer.merge(
  NodeHttpClient.layerUndici,
  Layer.succeed(HttpClient.TracerPropagationEnabled, false)
)

/** Of several addresses that were tried each has an error of its own, and all together have no words. */
const wordsOf = (cause: unknown): string => {
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  return first === undefined ? "no words" : describe(first)
}

export const unreachable = (url: string) => (error: HttpClientError) =>
  new Refusal.Unreachable({
    origin: new URL(url).origin,
    reason: wordsOf(Predicate.hasProperty(error.reason, "cause") ? error.reason.cause : error)
  })

/** Fails unless the status is a success, redirects too: an answer whose body is not read yet. */
export const send = Effect.fnUntraced(function* (
  request: HttpClientRequest
): Effect.fn.Return<
  HttpClientResponse,
  Refusal.Refused | Refusal.Unreachable,
  HttpClient.HttpClient
> {
  const answer = yield* Effect.mapError(HttpClient.execute(request), unreachable(request.url))
  if (answer.status < 300) return answer
  const text = yield* Effect.orElseSucceed(answer.text, () => "")
  const retryAfter = answer.headers["retry-after"]
  return yield* Refusal.of({
    status: answer.status,
    text,
    retryAfter,
    now: yield* Clock.currentTimeMillis
  })
})
