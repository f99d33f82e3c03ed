/** The least severe level that the server logs. */
import { Config, Effect, Layer, References } from "effect"
import * as Setting from "./Setting.ts"

export const logLevel = Setting.make({
  name: "LOG_LEVEL",
  config: Config.LogLevel,
  default: "Info",
  description: "the lowest severity of logged entries",
  accepts: "`Trace`, `Debug`, `Info`, `Warn`, `Error`, `Fatal`, `All`, `None`",
  example: "Debug"
})

export const layer = Layer.unwrap(
  Effect.map(logLevel.config, (level) => Layer.succeed(References.MinimumLogLevel, level))
)
