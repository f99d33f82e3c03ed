/** What commands print: JSON for programs, tables and sentences for people. Only results go to stdout. */
import { Console, DateTime, type Effect } from "effect"
import { CliOutput, Flag } from "effect/cli"

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print one line of JSON"),
  Flag.withoutNegation,
  Flag.withDefault(false)
)

export const printJson = (value: unknown): Effect.Effect<void> => Console.log(JSON.stringify(value))

/** Columns as wide as their widest cell, two spaces between them. */
export const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const lines = [header, ...rows].map((cells) => cells.map(printable))
  const widths = header.map((_, column) =>
    lines.reduce((width, cells) => Math.max(width, CliOutput.displayWidth(cells[column] ?? "")), 0)
  )
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** What others wrote cannot steer the terminal. */
export const printable = (text: string) => text.replace(/\p{Cc}/gu, "\u{fffd}")

const pad = (text: string, width: number) =>
  text + " ".repeat(Math.max(0, width - CliOutput.displayWidth(text)))

/** ISO 8601, of Unix time in ms. */
export const time = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** With separators, for people. */
export const count = (value: number): string => value.toLocaleString("en-US")
