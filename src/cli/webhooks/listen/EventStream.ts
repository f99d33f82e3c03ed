/** Reads the events of one connection to an event stream (WHATWG HTML, 9.2.6). */
import { Duration, Effect, Stream } from "effect"
import * as Sse from "effect/encoding/Sse"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Exchange from "#src/cli/platform/Exchange.ts"
import { type Refused, Unreachable, unexpected } from "#src/cli/platform/CallErrors.ts"

/** A live server sends something every 15 s. */
const longestSilence = Duration.seconds(45)

/** Longest event in characters. */
const longestEvent = 1_048_576

const silent = (url: string) => () =>
  Effect.fail(
    new Unreachable({
      origin: new URL(url).origin,
      reason: `no data for ${Duration.toSeconds(longestSilence)} s`
    })
  )

/** Fails when no response comes for 45 s. */
export const unlessSilent =
  (url: string) =>
  <A, E, R>(answer: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unreachable, R> =>
    Effect.timeoutOrElse(answer, { duration: longestSilence, orElse: silent(url) })

/**
 * The events of a response, and its retry times. An event with a name and without data only reports the position. Fails
 * when nothing comes for 45 s, not even a keep-alive. A slow reader does not cause this failure.
 */
export const read = (
  url: string,
  answer: HttpClientResponse
): Stream.Stream<Sse.AnyEvent, Refused | Unreachable> =>
  Stream.suspend(() => {
    const parsed: Array<Sse.AnyEvent> = []
    const parser = Sse.makeParser((one) => void parsed.push(one), {
      maxEventSize: longestEvent,
      dispatchEmptyNamedEvents: true
    })
    return answer.stream.pipe(
      Stream.mapError(Exchange.unreachable(url)),
      Stream.timeoutOrElse({ duration: longestSilence, orElse: () => Stream.fromEffect(silent(url)()) }),
      Stream.decodeText,
      Stream.mapEffect((text) => {
        const error = parser.feed(text)
        return error === undefined ? Effect.succeed(parsed.splice(0)) : Effect.fail(unexpected(error.message))
      }),
      Stream.flattenIterable
    )
  })
