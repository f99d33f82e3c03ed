/** How long a session of the console lasts. */
import { Config, Duration, Schema } from "effect"
import * as Setting from "#src/kernel/settings/Setting.ts"

const shortest = Duration.minutes(1)
const longest = Duration.days(30)

const Lifetime = Schema.DurationFromString.check(
  Schema.makeFilter(
    (time: Duration.Duration) => Duration.between(time, { minimum: shortest, maximum: longest }),
    { expected: "1 minute to 30 days" }
  )
)

export const consoleSessionTime = Setting.make({
  name: "CONSOLE_SESSION_TIME",
  config: (name) => Config.schema(Lifetime, name),
  default: Duration.hours(12),
  defaultText: "`12 hours`",
  description:
    "how long a browser stays signed in to the console with a key or a password; a session ends earlier with what opened it",
  accepts: "a duration from 1 minute to 30 days",
  example: "1 hour"
})
