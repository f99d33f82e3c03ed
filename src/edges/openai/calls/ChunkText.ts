/** The value in the text of a chunk, which is JSON that this server wrote. */
import type { Json } from "#domain/CanonicalJson.ts"

export const parse = (text: string): Json => JSON.parse(text) as Json
