/** Entity tags, `If-Match` and `If-None-Match` (RFC 9110, 8.8.3, 13.1.1 and 13.1.2). */

/** A strong tag. The parts together determine every byte of the answer. */
export const make = (...parts: ReadonlyArray<string | number>): string =>
  `"${parts.map((part) => encodeURIComponent(part)).join(".")}"`

/** For answers with the same meaning whose bytes may differ. */
export const weak = (tag: string): string => `W/${tag}`

const strong = (tag: string): string => tag.replace(/^W\//, "")

/** Whether an `If-None-Match` names the tag; compared weakly, as the header wants. */
export const isMatch = (header: string, tag: string): boolean =>
  header.split(",").some((candidate) => {
    const trimmed = candidate.trim()
    return trimmed === "*" || strong(trimmed) === strong(tag)
  })

/** Whether an `If-Match` names the tag; compared strongly, as the header wants. */
export const isStrongMatch = (header: string, tag: string): boolean =>
  header.split(",").some((candidate) => ["*", tag].includes(candidate.trim()))
