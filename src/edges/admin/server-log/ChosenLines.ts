/** The lines of the server's log that an operator chose. */
import { type Level, Level as Levels, type LogLine } from "#src/platform/telemetry/logs/ServerLog.ts"

export interface Choice {
  /** The least severe. */
  readonly level: Level
  /** In the message, the facts or the cause, in whatever case; `""` chooses all. */
  readonly text: string
}

const severityOf = (level: Level): number => Levels.literals.indexOf(level)

export const chooses = ({ level, text }: Choice) => {
  const least = severityOf(level)
  const wanted = text.toLowerCase()
  const has = (found: string) => found.toLowerCase().includes(wanted)
  return (line: LogLine): boolean =>
    severityOf(line.level) >= least &&
    (wanted === "" ||
      has(line.message) ||
      has(line.cause ?? "") ||
      Object.entries(line.facts).some(([name, value]) => has(`${name}=${value}`)))
}

/** Lines after `after` that are not kept any more. */
export const missedAfter = (after: number, kept: ReadonlyArray<LogLine>): number =>
  Math.max((kept[0]?.seq ?? after + 1) - after - 1, 0)
