/** Why a rebuild ends without anything having changed. */
import { Schema } from "effect"

/** Another command builds a copy, to take over or to be compared. */
export class RebuildUnderWay extends Schema.TaggedError<RebuildUnderWay>()("RebuildUnderWay", {}) {
  override get message(): string {
    return "Another rebuild or verification is under way on this data directory: wait for it, or stop it"
  }
}

/** The log has an event that the projection cannot apply, now as before. */
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

/** The copy is not what this release needs, or it did not catch up with the rows in use. These stay. */
export class CopyRefused extends Schema.TaggedError<CopyRefused>()("CopyRefused", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}
