/** Shortens a long text for a list. */

/** One line of at most `length` characters, cut after a word and ended with `…`. */
export const of = (text: string, length: number): string => {
  const line = text.replace(/\s+/g, " ").trim()
  if (line.length <= length) return line
  const end = line.slice(0, length).lastIndexOf(" ")
  // A word longer than half of the excerpt is cut itself, never within a surrogate pair.
  const beginning =
    end > length / 2 ? line.slice(0, end) : line.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "")
  return `${beginning.replace(/[\s,;:.–-]+$/, "")}…`
}
