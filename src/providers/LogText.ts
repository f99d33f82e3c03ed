/** Logs that a provider tells as one text, which grows. */

/** Its lines, without those that are empty; the last one only once it is whole. */
export const linesOf = (text: string, isOver: boolean): ReadonlyArray<string> => {
  const lines = text.split(/\r?\n/)
  return (isOver ? lines : lines.slice(0, -1)).filter((line) => line.trim() !== "")
}
