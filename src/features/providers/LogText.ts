/** Logs that a provider reports as one growing text. */

const bar = /(\d{1,3})%\|/g

/** Applies carriage returns as a terminal does. */
const shown = (line: string): string => line.replace(/\r+$/, "").replace(/^.*\r/s, "")

/** The lines without empty ones and progress bars. The last line counts only when it is complete. */
export const linesOf = (text: string, isOver: boolean): ReadonlyArray<string> => {
  const lines = text.split("\n")
  const whole = isOver ? lines : lines.slice(0, -1)
  return whole.map(shown).filter((line) => line.trim() !== "" && !/^\s*\d{1,3}%\|/.test(line))
}

/** 0 to 1, from the newest progress bar (`12%|█▏ | 6/50`); `null` without one. */
export const fractionOf = (text: string): number | null => {
  const percent = [...text.slice(-4_096).matchAll(bar)].at(-1)?.[1]
  return percent === undefined ? null : Math.min(Number(percent) / 100, 1)
}
