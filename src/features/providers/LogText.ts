/** Logs that a provider tells as one text, which grows. */

const bar = /(\d{1,3})%\|/g

/** What a terminal would show of the log: a carriage return takes back what its line has so far. */
const shown = (line: string): string => line.replace(/\r+$/, "").replace(/^.*\r/s, "")

/** Its lines, without those that are empty and without progress bars; the last one only once it is whole. */
export const linesOf = (text: string, isOver: boolean): ReadonlyArray<string> => {
  const lines = text.split("\n")
  const whole = isOver ? lines : lines.slice(0, -1)
  return whole.map(shown).filter((line) => line.trim() !== "" && !/^\s*\d{1,3}%\|/.test(line))
}

/** 0..1, of the newest progress bar (`12%|█▏ | 6/50`); `null` without one. */
export const fractionOf = (text: string): number | null => {
  const percent = [...text.slice(-4_096).matchAll(bar)].at(-1)?.[1]
  return percent === undefined ? null : Math.min(Number(percent) / 100, 1)
}
