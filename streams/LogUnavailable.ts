import { Schema } from "effect"

/** The log cannot be opened. */
export class LogUnavailable extends Schema.TaggedError<LogUnavailable>()("LogUnavailable", {
  reason: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return this.reason
  }
}
