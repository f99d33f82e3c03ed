/** JSON for a language model: whole as long as it is small, else its beginning, so that nobody is flooded. */
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import type { Json } from "#domain/CanonicalJson.ts"

export interface BoundedJson {
  /** `null` when it is too large. */
  readonly whole: Json
  /** Bytes of the JSON text. */
  readonly bytes: number
  /** The beginning of the JSON text, at most as many bytes as allowed; `null` when it is whole. */
  readonly excerpt: string | null
}

/** @param most bytes of the JSON text, in UTF-8. */
export const of = (json: Json, most: number): BoundedJson => {
  const text = CanonicalJson.stringify(json)
  const bytes = Buffer.byteLength(text)
  if (bytes <= most) return { whole: json, bytes, excerpt: null }
  // A character that is cut through is left out.
  const begin = Buffer.from(text.slice(0, most)).subarray(0, most)
  return { whole: null, bytes, excerpt: new TextDecoder().decode(begin, { stream: true }) }
}
