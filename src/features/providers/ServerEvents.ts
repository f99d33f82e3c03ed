/** Answers that are streams of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
import { StringDecoder } from "node:string_decoder"
import { Effect, Result } from "effect"
import { Sse } from "effect/encoding"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"
import { NoAnswer } from "./NoAnswer.ts"
import type { StreamedAnswer } from "./ProviderHttp.ts"

export interface ServerEvent {
  /** `message` if the provider gives none. */
  readonly event: string
  readonly data: string
}

/** Characters of one event, unless a protocol has larger ones. */
const usualEventSize = 1024 * 1024

/** Characters of one event that may have a whole output or a picture. */
export const largeEventSize = 32 * 1024 * 1024

/** Whether a successful answer is a stream of events. */
export const isStream = ({ headers, status }: Pick<StreamedAnswer, "headers" | "status">): boolean =>
  status >= 200 && status <= 299 && /^text\/event-stream\b/i.test(headers["content-type"] ?? "")

/** For `Accept`, where an answer in JSON will do as well. */
export const accept = "text/event-stream, application/json"

/** Limit of a stream, which repeats its frame around every token, bytes. */
export const mostBytes = 128 * 1024 * 1024

/** `undefined` if the data is no JSON within the limits of untrusted JSON. */
export const jsonOf = ({ data }: Pick<ServerEvent, "data">): Json | undefined =>
  Result.getOrUndefined(JsonBytes.parse(Buffer.from(data)))

/** As `jsonOf`, with the text of a scalar. */
export const spelledOf = (event: Pick<ServerEvent, "data">): JsonText.Spelled | undefined => {
  const json = jsonOf(event)
  return json === undefined ? undefined : JsonText.spelled(json, event.data)
}

/**
 * Passes on each event where it arrives, until the end of the answer or until `take` returns `false`. An event that the
 * end cuts off is dropped. Fails with `too_large` for an event of more than `maxEventSize` characters.
 */
export const read = (
  { each }: Pick<StreamedAnswer, "each">,
  take: (event: ServerEvent) => boolean,
  maxEventSize = usualEventSize
): Effect.Effect<void, NoAnswer> =>
  Effect.suspend(() => {
    const utf8 = new StringDecoder("utf8")
    let wantsMore = true
    let isTooLarge = false
    const parser = Sse.makeParser(
      (event) => {
        if (event._tag !== "Event" || !wantsMore || isTooLarge) return
        // The parser's own limit is for events whose end has not arrived.
        if (event.data.length > maxEventSize) isTooLarge = true
        else wantsMore = take(event)
      },
      { maxEventSize }
    )
    const takePart = (part: Uint8Array): boolean => {
      if (parser.feed(utf8.write(part)) !== undefined) isTooLarge = true
      return wantsMore && !isTooLarge
    }
    return Effect.flatMap(each(takePart), () =>
      isTooLarge && wantsMore ? Effect.fail(new NoAnswer({ reason: "too_large" })) : Effect.void
    )
  })
