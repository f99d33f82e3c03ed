import * as MediaType from "../../MediaType.ts"

/** White space around the semicolons and usually case do not matter (RFC 9110, section 8.3). */
const normal = (contentType: string): string =>
  MediaType.clean(contentType.trim())
    .replace(/[\t ]*;[\t ]*/g, ";")
    .toLowerCase()

/** Whether a PUT has the announced type. A malformed type counts as arbitrary bytes; an absent one does not match. */
export const isSameType = (header: string | undefined, announced: string): boolean =>
  header !== undefined && normal(header) === normal(announced)
