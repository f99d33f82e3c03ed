/** Errors of backups and restores that an operator can act on. */
import { Schema } from "effect"

/** A piece of the backup is not what was written. Nothing is restored from it. */
export class BackupDamaged extends Schema.TaggedError<BackupDamaged>()("BackupDamaged", {
  /** Its key at the target. */
  piece: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `The backup is damaged: ${this.piece} ${this.reason}`
  }
}

/** The target has a backup of a log that this log does not continue. Nothing was written. */
export class OtherLog extends Schema.TaggedError<OtherLog>()("OtherLog", { reason: Schema.String }) {
  override get message(): string {
    return (
      `The target has a backup of another log: ${this.reason}. Choose another target, or, if this log was restored from an ` +
      `earlier moment, start a new base with --full. Nothing was written`
    )
  }
}

/** Another backup to the same target is under way, or ended while this one ran. The target has that one. */
export class TargetInUse extends Schema.TaggedError<TargetInUse>()("TargetInUse", {}) {
  override readonly message =
    "Another backup uses the target. Each target takes one backup at a time; its manifest is unchanged by this one"
}

/** There is no backup at the source, or not of the wanted moment. */
export class NoSuchBackup extends Schema.TaggedError<NoSuchBackup>()("NoSuchBackup", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** The keys of the installation cannot be sealed or opened. */
export class KeysUnusable extends Schema.TaggedError<KeysUnusable>()("KeysUnusable", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** The log to restore into has events, and is not what an interrupted restore of this backup left. Nothing was written. */
export class LogNotEmpty extends Schema.TaggedError<LogNotEmpty>()("LogNotEmpty", {
  stream: Schema.String,
  /** Where it differs from the backup. */
  cause: Schema.Defect()
}) {
  override get message(): string {
    return (
      `EVENT_STORE: the log at the NATS servers is not empty: restore under another prefix, or remove its stream ` +
      `${this.stream} first. Nothing was written`
    )
  }
}
