/** The server's log: on stderr one line per entry, with time, level, message and annotations; the last also in memory. */
import { Config, Effect, Formatter, Layer, Logger } from "effect"
import * as Setting from "#src/kernel/settings/Setting.ts"
import * as ServerLog from "./ServerLog.ts"

export const logFormat = Setting.make({
  name: "LOG_FORMAT",
  config: (name) => Config.Literals(["logfmt", "json", "pretty"], name),
  default: "logfmt",
  description:
    "the format of log entries: `logfmt` and `json` with one entry per line, `pretty` for a terminal",
  accepts: "`logfmt`, `json`, `pretty`",
  example: "json"
})

/** Annotations are added to the other fields and never replace one. */
const flatJson = Logger.map(Logger.formatStructured, (entry) => {
  const { annotations, cause, level, message, timestamp } = entry
  return Formatter.formatJson({
    ...annotations,
    timestamp,
    level,
    message,
    ...(cause === undefined ? {} : { cause })
  })
})

const loggers = {
  logfmt: Logger.withConsoleError(Logger.formatLogFmt),
  json: Logger.withConsoleError(flatJson),
  pretty: Logger.consolePretty()
}

export const layer = Layer.unwrap(
  Effect.map(logFormat.config, (format) =>
    Layer.merge(ServerLog.layerWith([loggers[format]]), Layer.succeed(Logger.LogToStderr, true))
  )
)
