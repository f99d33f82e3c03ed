/** JSON for a language model: whole as long as it is small, else its beginning, so that nobody is flooded. */
import { Effect, Stream } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Unreadable } from "#streams/Payload.ts"
import { InlineText, type PayloadText, type StoredText } from "#streams/PayloadText.ts"

export interface BoundedJson {
  /** `null` when it is too large. */
  readonly whole: Json
  /** Bytes of the JSON text. */
  readonly bytes: number
  /** The beginning of the JSON text, at most as many bytes as allowed; `null` when it is whole. */
  readonly excerpt: string | null
}

export const nothing: BoundedJson = { whole: null, bytes: 4, excerpt: null }

/** The first bytes of a text, at least `most` if it has them. No more of it is read. */
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
  // All chunks where it is whole, since the last ones come only once the text has been found right.
  const begin = isInline
    ? Buffer.from(isWhole ? payload.text : payload.text.slice(0, most))
    : yield* isWhole ? Stream.mkUint8Array(payload.chunks) : beginningOf(payload, most)
  if (isWhole) {
    return { whole: JSON.parse(new TextDecoder().decode(begin)) as Json, bytes, excerpt: null }
  }
  // A character that is cut through is left out.
  return {
    whole: null,
    bytes,
    excerpt: new TextDecoder().decode(begin.subarray(0, most), { stream: true })
  }
})
