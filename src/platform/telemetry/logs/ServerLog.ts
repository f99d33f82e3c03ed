/** The last lines of this process's log, for operators who read it without the machine. Bounded, and without secrets. */
import { Context, Effect, Formatter, Layer, Logger, Schema } from "effect"
import * as Withheld from "./Withheld.ts"

/** From the least severe. */
export const Level = Schema.Literals(["trace", "debug", "info", "warn", "error", "fatal"])
export type Level = typeof Level.Type

export interface LogLine {
  /** Counts the lines of this process, from 1. */
  readonly seq: number
  /** Unix time in ms. */
  readonly at: number
  readonly level: Level
  readonly message: string
  /** The annotations as texts. */
  readonly facts: Readonly<Record<string, string>>
  /** The failure behind the line; `null` without one. */
  readonly cause: string | null
}

/** Lines that are kept, and the characters of their texts. */
const mostLines = 2_000
const mostCharacters = 2_000_000

/** Characters of one text. */
const longest = { message: 2_000, fact: 500, cause: 4_000 }
const mostFacts = 30

interface ServerLines {
  /** The kept lines after `seq`, oldest first. */
  readonly after: (seq: number) => ReadonlyArray<LogLine>
  /** The `seq` of the newest line; 0 before the first. */
  readonly last: () => number
}

/** Without `layer`, as in a command, no line is kept. */
export const ServerLog = Context.Reference<ServerLines>("inferlog/src/platform/telemetry/logs/ServerLog", {
  defaultValue: () => ({ after: () => [], last: () => 0 })
})

const isLevel = Schema.is(Level)

const levelOf = (text: string): Level => {
  const level = text.toLowerCase()
  return isLevel(level) ? level : "info"
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : Formatter.formatJson(value))

const short = (value: unknown, most: number): string => {
  const text = Withheld.from(textOf(value).slice(0, most * 2))
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

const lengthOf = ({ cause, facts, message }: LogLine): number =>
  message.length + (cause ?? "").length + Object.entries(facts).flat().join("").length

/** Of `Logger.formatStructured`. */
type Entry = Pick<
  ReturnType<typeof Logger.formatStructured.log>,
  "annotations" | "cause" | "level" | "message" | "timestamp"
>

const lineOf = (seq: number, { annotations, cause, level, message, timestamp }: Entry): LogLine => ({
  seq,
  at: Date.parse(timestamp),
  level: levelOf(level),
  message: short(Array.isArray(message) ? message.map(textOf).join(" ") : message, longest.message),
  facts: Object.fromEntries(
    Object.entries(annotations)
      .slice(0, mostFacts)
      .map(([name, value]) => [
        name,
        Withheld.isSecretName(name) ? Withheld.whole : short(value, longest.fact)
      ])
  ),
  cause: cause === undefined ? null : short(cause, longest.cause)
})

/** The lines, and how one is added. */
export const make = () => {
  const lines: Array<LogLine> = []
  let characters = 0
  let seq = 0
  const add = (entry: Entry): void => {
    const line = lineOf(++seq, entry)
    lines.push(line)
    characters += lengthOf(line)
    while (lines.length > mostLines || (characters > mostCharacters && lines.length > 1)) {
      const oldest = lines.shift()
      if (oldest !== undefined) characters -= lengthOf(oldest)
    }
  }
  const service: ServerLines = {
    after: (given) => {
      const first = lines[0]
      return first === undefined ? [] : lines.slice(Math.max(given + 1 - first.seq, 0))
    },
    last: () => seq
  }
  return { add, service }
}

/** Beside the loggers that write the lines. */
export const layerWith = (loggers: ReadonlyArray<Logger.Logger<unknown, unknown>>) =>
  Layer.unwrap(
    Effect.sync(() => {
      const { add, service } = make()
      const logger = Logger.map(Logger.formatStructured, add)
      return Layer.merge(Logger.layer([...loggers, logger]), Layer.succeed(ServerLog, service))
    })
  )
