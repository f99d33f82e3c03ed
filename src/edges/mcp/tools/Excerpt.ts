/** What a list shows of a long text. */

/** In one line, of at most `length` characters: cut behind a word, with `…` for what is missing. */
export const of = (text: string, length: number): string => {
  const line = text.replace(/\s+/g, " ").trim()
  if (line.length <= length) return line
  const end = line.slice(0, length).lastIndexOf(" ")
  // A word that is longer than half of the excerpt is cut itself, and never within a surrogate pair.
  const kept =
    end > length / 2 ? line.slice(0, end) : line.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "")
  return `${kept.replace(/[\s,;:.–-]+$/, "")}…`
}
