import * as MediaType from "../../MediaType.ts"

/** White space around the semicolons of a media type says nothing (RFC 9110, section 8.3), nor, mostly, does case. */
const normal = (contentType: string): string =>
  MediaType.clean(contentType.trim())
    .replace(/[\t ]*;[\t ]*/g, ";")
    .toLowerCase()

/**
 * Whether a PUT has the type that was announced. One that is malformed is arbitrary bytes, here as there; to say nothing
 * is to say something else.
 */
export const isSameType = (header: string | undefined, announced: string): boolean =>
  header !== undefined && normal(header) === normal(announced)
