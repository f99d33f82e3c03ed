/** Whether bytes arrived with the media type that was declared for their file. They are served with the declared one. */
import { essenceOf } from "#domain/file/ContentType.ts"
import * as MediaType from "../MediaType.ts"
import { ContentTypeMismatch } from "./Reception.ts"

/**
 * Parameters, quotes and case do not matter, because clients add and drop them; a missing type counts as the declared one, and
 * a malformed one as arbitrary bytes (RFC 9110, section 8.3). `null` without a mismatch.
 */
export const mismatchOf = (header: string | undefined, contentType: string): ContentTypeMismatch | null => {
  if (header === undefined || header.trim() === "") return null
  const sent = essenceOf(MediaType.clean(header))
  const declared = essenceOf(contentType)
  return sent === declared ? null : new ContentTypeMismatch({ declared, sent })
}
