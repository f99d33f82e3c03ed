/** Errors that end a rebuild and leave everything unchanged. */
import { Schema } from "effect"

/** Another command is building a copy, for a rebuild or for a verification. */
export class RebuildUnderWay extends Schema.TaggedError<RebuildUnderWay>()("RebuildUnderWay", {}) {
  override get message(): string {
    return "Another rebuild or verification is under way on this data directory: wait for it, or stop it"
  }
}

/** The log has an event that the projection still cannot apply. */
export class NotApplicable extends Schema.TaggedError<NotApplicable>()("NotApplicable", {
  projection: Schema.String,
  position: Schema.String,
  type: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return (
      `The projection ${this.projection} cannot apply the event ${this.type} at position ${this.position} ` +
      `(${this.reason}): nothing was changed`
    )
  }
}

/** The copy does not fit this release or did not catch up with the rows in use, which stay in use. */
export class CopyRefused extends Schema.TaggedError<CopyRefused>()("CopyRefused", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}
