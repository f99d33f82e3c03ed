/** Formats an event as a line of columns, for people. */
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as Output from "#src/cli/Output.ts"

const columns = [
  { title: "POSITION", width: 9 },
  { title: "TIME", width: 24 },
  { title: "STREAM", width: 38 },
  { title: "TYPE", width: 18 }
] as const

/** Characters of the data in a line for people. */
const shownData = 80

const line = (cells: ReadonlyArray<string>, last: string): string =>
  [...cells.map((cell, index) => Output.pad(cell, columns[index]?.width ?? 0)), last].join("  ").trimEnd() +
  "\n"

export const header = line(
  columns.map(({ title }) => title),
  "DATA"
)

/** The columns have fixed widths, because later lines are unknown. */
export const text = ({ position, stream, text, time, type }: RecordedEvent): string => {
  const data = text.length > shownData ? `${text.slice(0, shownData)}…` : text
  const cells = [position, Output.time(time), Output.printable(stream), Output.printable(type)]
  return line(cells, Output.printable(data))
}
