/** What a connection to an event stream brings (WHATWG HTML, 9.2.6). */
import { Duration, Effect, Stream } from "effect"
import * as Sse from "effect/encoding/Sse"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Exchange from "#src/cli/platform/Exchange.ts"
import { type Refused, Unreachable, unexpected } from "#src/cli/platform/Refusal.ts"

/** A server that lives says something every 15 s. */
const longestSilence = Duration.seconds(45)

/** Characters of one event. */
const longestEvent = 1_048_576

const silent = (url: string) => () =>
  Effect.fail(
    new Unreachable({
      origin: new URL(url).origin,
      reason: `nothing has come for ${Duration.toSeconds(longestSilence)} s`
    })
  )

/** Fails when nothing comes of it for 45 s. */
export const unlessSilent =
  (url: string) =>
  <A, E, R>(answer: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unreachable, R> =>
    Effect.timeoutOrElse(answer, { duration: longestSilence, orElse: silent(url) })

/**
 * The events of an answer, and the times to wait that it asks for. An event that has a name and no data tells how far the
 * stream has come. Fails when nothing comes for 45 s, keep-alives included; a reader that takes its time may do so.
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
