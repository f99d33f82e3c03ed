/** Why a snapshot is not taken, or not used. Nothing is lost: the log has it all. */
import { Schema } from "effect"

/** Where the snapshots are written down cannot be reached. A `put` that fails with this may have been done. */
export class SnapshotPointerError extends Schema.TaggedError<SnapshotPointerError>()("SnapshotPointerError", {
  reason: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return this.reason
  }
}

/** Another node takes a snapshot at the same time. */
export class SnapshotPointerMoved extends Schema.TaggedError<SnapshotPointerMoved>()(
  "SnapshotPointerMoved",
  {}
) {
  override get message(): string {
    return "Another node has written down a snapshot meanwhile"
  }
}

/** The file cannot be copied, packed, unpacked or put in its place. */
export class SnapshotFileError extends Schema.TaggedError<SnapshotFileError>()("SnapshotFileError", {
  reason: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return this.reason
  }
}

/** The blob is missing, or is not what was written down of it. */
export class SnapshotDamaged extends Schema.TaggedError<SnapshotDamaged>()("SnapshotDamaged", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}
