/** Repeats calls that failed for now (docs/reference/errors.md, "Retries"). */
import { Clock, Data, Duration, Effect, Schedule } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import { type HttpClientError, isHttpClientError } from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"

/** The longest `Retry-After` that is waited for. */
const longest = Duration.seconds(60)

class Failed extends Data.TaggedError("Failed")<{
  readonly response: HttpClientResponse
  readonly retryAfter: Duration.Duration
}> {}

/** Whether it may be sent again when its answer was lost. */
const isRepeatable = ({ headers, method }: HttpClientRequest): boolean =>
  method !== "POST" || headers["idempotency-key"] !== undefined

/** The server refuses the work for now, and has done nothing. */
const isRefused = (status: number) => status === 429 || status === 503

const isTransient = (status: number) => [408, 425, 500, 502, 503, 504].includes(status)

/** Seconds, or a date. */
const retryAfterOf = (text: string | undefined, now: number): Duration.Duration => {
  if (text === undefined) return Duration.zero
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Duration.millis(Number.isNaN(ms) ? 0 : Math.max(0, ms))
}

/** Between 0 and half of a pause, so that clients do not come back together. */
const spread = (duration: Duration.Duration) => Effect.sync(() => Duration.times(duration, Math.random() / 2))

/** Five times: after 0.25 to 0.5 s, then twice as long each time. */
export const usual: Schedule.Schedule<unknown, unknown> = Schedule.exponential("500 millis").pipe(
  Schedule.modifyDelay(({ duration }) =>
    Effect.map(spread(duration), (less) => Duration.subtract(duration, less))
  ),
  Schedule.upTo({ times: 5 })
)

/** Repeats by the schedule, and not before an answer's `Retry-After`. */
export const retried = (schedule: Schedule.Schedule<unknown, unknown>) => {
  const patient = schedule.pipe(
    Schedule.setInputType<unknown>(),
    Schedule.modifyDelay(({ duration, input }) =>
      input instanceof Failed
        ? Effect.map(spread(duration), (more) => Duration.max(duration, Duration.sum(input.retryAfter, more)))
        : Effect.succeed(duration)
    )
  )
  return HttpClient.transform(
    <R>(exchange: Effect.Effect<HttpClientResponse, HttpClientError, R>, request: HttpClientRequest) => {
      const canRepeat = isRepeatable(request)
      const attempt = Effect.flatMap(exchange, (response) => {
        const { headers, status } = response
        if (!isRefused(status) && !(canRepeat && isTransient(status))) return Effect.succeed(response)
        return Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.fail(new Failed({ response, retryAfter: retryAfterOf(headers["retry-after"], now) }))
        )
      })
      return attempt.pipe(
        Effect.retry({
          schedule: patient,
          while: (error) =>
            error instanceof Failed
              ? Duration.isLessThanOrEqualTo(error.retryAfter, longest)
              : canRepeat && isHttpClientError(error) && error.reason._tag === "TransportError"
        }),
        // The answer of the last attempt becomes the error of its status.
        Effect.catchTag("Failed", ({ response }) => Effect.succeed(response))
      )
    }
  )
}
