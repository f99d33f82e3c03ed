/** How long the payloads of a request are stored. */
import { Config, Duration, Schema } from "effect"
import * as Setting from "./Setting.ts"

const shortest = Duration.hours(1)
const longest = Duration.days(3_653)

const RetentionText = Schema.DurationFromString.check(
  Schema.makeFilter(
    (time: Duration.Duration) => Duration.between(time, { minimum: shortest, maximum: longest }),
    { expected: "a duration from 1 hour to 10 years" }
  )
)

export const retention = Setting.make({
  name: "RETENTION",
  config: (name) => Config.schema(RetentionText, name),
  default: Duration.days(30),
  defaultText: "`30 days`",
  description:
    "how long inputs, outputs and files of an ended request are stored, counted from its submit; uploads are counted from their arrival",
  accepts: "a duration from 1 hour to 10 years, such as `12 hours`, `90 days` or `52 weeks`",
  example: "90 days"
})

/** ms */
export const retentionMs = Config.map(retention.config, Duration.toMillis)
