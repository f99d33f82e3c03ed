/** The output of commands: JSON for programs, tables and sentences for people. Only results go to stdout. */
import { Console, DateTime, type Effect } from "effect"
import { CliOutput } from "effect/cli"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as Flags from "./Flags.ts"

export const json = Flags.toggle("json", "Print one line of JSON")

/** For long or endless output. */
export const jsonLines = Flags.toggle("json", "Print a line of JSON for each")

/** One line, with the texts that parts remember. Also escapes the control characters that JSON allows, to protect terminals. */
export const jsonText = (value: unknown): string =>
  JsonText.writeLine(value as Json).replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

export const printJson = (value: unknown): Effect.Effect<void> => Console.log(jsonText(value))

/** Width in terminal columns. ASCII text, the most common, skips the lookup. */
const displayWidth = (text: string): number =>
  /^[ -~]*$/.test(text) ? text.length : CliOutput.displayWidth(text)

/** Each column is as wide as its widest cell. Two spaces separate columns. */
export const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const lines = [header, ...rows].map((cells) => cells.map(printable))
  const widths = header.map((_, column) =>
    lines.reduce((width, cells) => Math.max(width, displayWidth(cells[column] ?? "")), 0)
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

/** A table of named values, without those that are `null`. */
export const facts = (
  header: readonly [string, string],
  rows: ReadonlyArray<readonly [string, string | null]>
): string =>
  table(
    header,
    rows.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
  )

/** Replaces control characters, because stored text must not control the terminal. */
export const printable = (text: string) => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, "\u{fffd}")

export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n")

/** The same for text in which lines and tabs matter. */
export const printableText = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, "\u{fffd}")

/** Pads to `width` terminal columns. */
export const pad = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - displayWidth(text)))

/** Formats Unix time in ms as ISO 8601. */
export const time = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

export const timeOrNull = (millis: number | null): string | null => (millis === null ? null : time(millis))

/** With thousands separators. */
export const count = (value: number): string => value.toLocaleString("en-US")

/** `1 request`, `2,000 requests`. */
export const counted = (value: number, what: string, many = `${what}s`): string =>
  `${count(value)} ${value === 1 ? what : many}`

/** A short duration for people: `12 ms`, `1.234 s`; `-` for `null`. */
export const milliseconds = (millis: number | null): string => {
  if (millis === null) return "-"
  return millis < 1000 ? `${millis} ms` : `${millis / 1000} s`
}

/** A duration in ms, rounded to seconds: `10 s`, `2 min 5 s`, `3 h 0 min`. */
export const duration = (millis: number): string => {
  const seconds = Math.round(millis / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}
