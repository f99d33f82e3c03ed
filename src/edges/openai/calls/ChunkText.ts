/** The value in the text of a chunk, which is JSON that this server wrote. */
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"

export const parse: (text: string) => Json = JsonText.parse
