/** Errors while taking or using snapshots. No data is lost, because the log has everything. */
import { Schema } from "effect"

/** The list of snapshots cannot be reached. A `put` that fails with this may have succeeded. */
export class SnapshotPointerError extends Schema.TaggedError<SnapshotPointerError>()("SnapshotPointerError", {
  reason: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return this.reason
  }
}

/** Another node took a snapshot at the same time. */
export class SnapshotPointerMoved extends Schema.TaggedError<SnapshotPointerMoved>()(
  "SnapshotPointerMoved",
  {}
) {
  override get message(): string {
    return "Another node has published a snapshot meanwhile"
  }
}

/** The file cannot be copied, packed, unpacked or renamed. */
export class SnapshotFileError extends Schema.TaggedError<SnapshotFileError>()("SnapshotFileError", {
  reason: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return this.reason
  }
}

/** The blob is missing or does not match its description. */
export class SnapshotDamaged extends Schema.TaggedError<SnapshotDamaged>()("SnapshotDamaged", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}
