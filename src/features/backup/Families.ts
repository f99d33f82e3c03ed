/** The metrics of backups. */
import * as Family from "#src/platform/telemetry/metrics/Family.ts"

export const backupPosition = Family.gauge(
  "inferlog_backup_position",
  "Position up to which the log is backed up; absent without a backup from this DATA_DIR"
)

export const backupLag = Family.gauge(
  "inferlog_backup_lag_seconds",
  "Age of the oldest event that is not backed up; 0 when all are; absent without a backup from this DATA_DIR"
)
