/** Formats an event as a line: JSON for programs, columns for people. */
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as Output from "#src/cli/Output.ts"

/** One line of an export (docs/reference/cli.md, "log export"). `data` comes last, with the bytes that were hashed. */
export const json = ({ hash, id, ordinal, position, stream, text, time, type }: RecordedEvent): string =>
  `{"position":"${position}","stream":${JSON.stringify(stream)},"ordinal":${ordinal},"id":${JSON.stringify(id)},` +
  `"type":${JSON.stringify(type)},"time":${time},"hash":"${hash}","data":${text}}\n`

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
