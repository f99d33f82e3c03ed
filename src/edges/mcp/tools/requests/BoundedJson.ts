/** JSON for a language model: complete while it is small, else its beginning. */
import { Effect, Stream } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { Unreadable } from "#streams/Payload.ts"
import { InlineText, type PayloadText, type StoredText } from "#streams/PayloadText.ts"

export interface BoundedJson {
  /** `null` when it is too large. */
  readonly whole: Json
  /** The text of a number that JavaScript writes in another way; `null` for any other value. */
  readonly digits: string | null
  /** Bytes of the JSON text. */
  readonly bytes: number
  /** The beginning of the JSON text, within the limit; `null` when it is complete. */
  readonly excerpt: string | null
}

export const nothing: BoundedJson = { whole: null, digits: null, bytes: 4, excerpt: null }

/** At least the first `most` bytes of a text, or all of it. Reads no further. */
const beginningOf = ({ chunks }: StoredText<Unreadable>, most: number) => {
  let read = 0
  return Stream.mkUint8Array(
    Stream.takeUntil(Stream.rechunk(chunks, 1), ({ length }) => (read += length) >= most)
  )
}

/** @param most bytes of the JSON text, in UTF-8. */
export const of = Effect.fnUntraced(function* (payload: PayloadText<Unreadable> | null, most: number) {
  if (payload === null) return nothing
  const isInline = payload instanceof InlineText
  const bytes = isInline ? Buffer.byteLength(payload.text) : payload.size
  const isWhole = bytes <= most
  // A complete text is read to its end, because its last chunks come only after verification.
  const begin = isInline
    ? Buffer.from(isWhole ? payload.text : payload.text.slice(0, most))
    : yield* isWhole ? Stream.mkUint8Array(payload.chunks) : beginningOf(payload, most)
  if (isWhole) {
    const text = new TextDecoder().decode(begin)
    const whole = JsonText.parse(text)
    const digits = typeof whole === "number" && JSON.stringify(whole) !== text ? text : null
    return { whole, digits, bytes, excerpt: null }
  }
  // Drops a character that is cut.
  return {
    whole: null,
    digits: null,
    bytes,
    excerpt: new TextDecoder().decode(begin.subarray(0, most), { stream: true })
  }
})
