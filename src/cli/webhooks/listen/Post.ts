/** One POST to the developer's app, as the service makes it to a receiver (contract, "Events"). */
import { Clock, Duration, Effect, Predicate, Ref, Stream } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as DeliverySchedule from "#domain/webhook-delivery/DeliverySchedule.ts"
import * as MonotonicTime from "#src/MonotonicTime.ts"
import * as PostResult from "#src/reactors/deliveries/PostResult.ts"
import * as StandardWebhooks from "#src/webhooks/StandardWebhooks.ts"
import * as Exchange from "../../platform/Exchange.ts"

/** Bytes of an answer that are read. More of a 2xx is a failure, as it is for the service. */
const longestAnswer = 64 * 1024

export interface Message {
  readonly url: string
  /** `webhook-id` */
  readonly id: string
  readonly body: Uint8Array
  readonly key: Uint8Array
}

export interface Answered {
  /** `null` when there was no answer. */
  readonly status: number | null
  /** One word (docs/webhooks.md, "What became of it"), `null` after a 2xx. */
  readonly error: string | null
  /** What the system says of it, where it says something. */
  readonly reason: string | null
  readonly durationMs: number
}

type Ending = Omit<Answered, "durationMs">

const failed = (error: string, status: number | null = null, reason: string | null = null): Ending => ({
  status,
  error,
  reason
})

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
  [/^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/, "tls_error"],
  [/^(UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW)/, "response_too_large"]
]

const ofError = (error: HttpClientError): Ending => {
  const cause = Exchange.causeOf(error)
  const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : ""
  const word = words.find(([pattern]) => pattern.test(code))?.[1] ?? "connection_failed"
  return failed(word, null, Exchange.wordsOf(cause))
}

const exchange = Effect.fnUntraced(function* (message: Message) {
  const answer = yield* HttpClient.execute(yield* signed(message))
  const { status } = answer
  const size = yield* Ref.make(0)
  const isWhole = yield* answer.stream.pipe(
    Stream.mapEffect((chunk) => Ref.updateAndGet(size, (before) => before + chunk.length)),
    Stream.takeUntil((bytes) => bytes > longestAnswer),
    Stream.runDrain,
    Effect.andThen(Effect.map(Ref.get(size), (bytes) => bytes <= longestAnswer))
  )
  const ending = ofStatus(status)
  return isWhole || ending.error !== null ? ending : failed("response_too_large", status)
})

/** Signed as of now. Redirects are not followed; after 15 s it is over. */
export const post = Effect.fnUntraced(function* (message: Message) {
  const since = yield* MonotonicTime.millis
  const ending = yield* exchange(message).pipe(
    Effect.catch((error) => Effect.succeed(ofError(error))),
    Effect.timeoutOrElse({
      duration: Duration.millis(DeliverySchedule.attemptTimeoutMs),
      orElse: () => Effect.succeed(failed("timeout"))
    })
  )
  return { ...ending, durationMs: (yield* MonotonicTime.millis) - since } satisfies Answered
})
