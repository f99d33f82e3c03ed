/** One POST to the developer's app, equal to the POST of the service to a receiver (contract, "Events"). */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Duration, Effect, Layer, Predicate, Stream } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as DeliverySchedule from "#domain/webhook-delivery/DeliverySchedule.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import * as PostResult from "#src/features/webhooks/deliveries/PostResult.ts"
import * as StandardWebhooks from "#src/features/webhooks/StandardWebhooks.ts"
import { describe } from "#src/cli/Failure.ts"

/** Requests carry only the given headers. */
export const layerClient = Layer.merge(
  NodeHttpClient.layerUndici,
  Layer.succeed(HttpClient.TracerPropagationEnabled, false)
)

/** Limits of reading the body of a response, in bytes and in time. They are those of the service. */
const longestAnswer = 64 * 1024
const longestReading = "500 millis"

export interface Message {
  readonly url: string
  /** `webhook-id` */
  readonly id: string
  readonly body: Uint8Array
  readonly key: Uint8Array
}

export interface Answered {
  /** `null` without a response. */
  readonly status: number | null
  /** One word (docs/apps/webhooks.md, "List, replay, recover"), `null` after a 2xx. */
  readonly error: string | null
  /** The message of the operating system; `null` without one. */
  readonly reason: string | null
  readonly durationMs: number
}

type Ending = Omit<Answered, "durationMs">

const timeout: Ending = { status: null, error: "timeout", reason: null }

const signed = Effect.fnUntraced(function* ({ body, id, key, url }: Message) {
  const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  return HttpClientRequest.post(url).pipe(
    HttpClientRequest.bodyUint8Array(body, "application/json"),
    HttpClientRequest.setHeaders({
      "user-agent": "inferlog-webhooks/1",
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": StandardWebhooks.signature(key, { id, timestamp, body })
    })
  )
})

const ofStatus = (status: number): Ending => {
  const result = PostResult.ofAnswer({ status })
  return { status, error: result._tag === "Failed" ? result.error : null, reason: null }
}

const words: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(ENOTFOUND|EAI_)/, "dns_error"],
  [/^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/, "tls_error"]
]

/** The message of the operating system or of the connection. */
const causeOf = ({ reason }: HttpClientError): unknown => {
  const cause = Predicate.hasProperty(reason, "cause") ? reason.cause : reason
  // When several addresses fail, each has its own error, and the combined error has no message.
  return cause instanceof AggregateError ? cause.errors[0] : cause
}

const ofError = (error: HttpClientError): Ending => {
  const cause = causeOf(error)
  const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : ""
  const word = words.find(([pattern]) => pattern.test(code))?.[1] ?? "connection_failed"
  return { status: null, error: word, reason: describe(cause) }
}

/** Reads the body up to the limits. Its content and its errors do not matter, because the status decides. */
const drop = (body: Stream.Stream<Uint8Array, HttpClientError>) =>
  body.pipe(
    Stream.mapAccum(
      () => 0,
      (size, chunk) => [size + chunk.length, [size + chunk.length]] as const
    ),
    Stream.takeUntil((bytes) => bytes > longestAnswer),
    Stream.runDrain,
    Effect.timeoutOption(longestReading),
    Effect.ignore
  )

/** Signs the message as of now. Does not follow redirects. Fails with `timeout` after 15 s. */
export const post = Effect.fnUntraced(function* (message: Message) {
  const since = yield* MonotonicTime.millis
  const { body, ending } = yield* Effect.flatMap(signed(message), HttpClient.execute).pipe(
    Effect.map((answer) => ({ ending: ofStatus(answer.status), body: answer.stream })),
    Effect.catch((error) => Effect.succeed({ ending: ofError(error), body: Stream.empty })),
    Effect.timeoutOrElse({
      duration: Duration.millis(DeliverySchedule.attemptTimeoutMs),
      orElse: () => Effect.succeed({ ending: timeout, body: Stream.empty })
    })
  )
  const durationMs = (yield* MonotonicTime.millis) - since
  yield* drop(body)
  return { ...ending, durationMs } satisfies Answered
})
