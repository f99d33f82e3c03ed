/** Bounds the log lines of a run, because requests in memory and events on the log must stay small. */

/** The newest log lines that are stored of a request: their number, and their total characters. */
const maxLines = 500
const maxCharacters = 65_536

/** Keeps whole lines. Only a single line that exceeds the limit alone is cut. */
export const newest = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const recent = lines.slice(-maxLines)
  let characters = 0
  const dropped = recent.findLastIndex((line) => (characters += line.length) > maxCharacters)
  const fitting = recent.slice(dropped + 1)
  return fitting.length > 0 ? fitting : recent.slice(-1).map((line) => line.slice(0, maxCharacters))
}
