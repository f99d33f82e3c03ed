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
  const text = Buffer.from(CanonicalJson.stringify(json))
  if (text.length <= most) return { whole: json, bytes: text.length, excerpt: null }
  // A character that is cut through is left out.
  const excerpt = new TextDecoder().decode(text.subarray(0, most), { stream: true })
  return { whole: null, bytes: text.length, excerpt }
}
