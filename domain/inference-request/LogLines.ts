/** What a run writes to its log, within bounds: a request in memory and an event on the log both have to stay small. */

/** How much of a request's log is kept, the newest: lines, and characters in all of them. */
const keptLogLines = 500
const keptLogCharacters = 65_536

/** Whole lines, but for a single one that is too long for a log of its own. */
export const newest = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const recent = lines.slice(-keptLogLines)
  let characters = 0
  const dropped = recent.findLastIndex((line) => (characters += line.length) > keptLogCharacters)
  const kept = recent.slice(dropped + 1)
  return kept.length > 0 ? kept : recent.slice(-1).map((line) => line.slice(0, keptLogCharacters))
}
