/** The metrics of the log, the read models and the health of the node. */
import * as Family from "#src/platform/telemetry/metrics/Family.ts"

export const logHead = Family.gauge("inferlog_log_head_position", "Position of the last event of the log")

export const walBytes = Family.gauge(
  "inferlog_log_wal_bytes",
  "Size of log.sqlite-wal, updated about once a second while the log is written; above 64 MiB a reader blocks its checkpoint, or log.sqlite cannot be written"
)

export const payloadsDamaged = Family.counter(
  "inferlog_payloads_damaged_total",
  "Reads of stored inputs, outputs and webhook bodies that are lost or do not match their hash on the log"
)

export const projectionLagEvents = Family.gauge(
  "inferlog_projection_lag_events",
  "Events of the log that the projection has not applied yet",
  ["projection"]
)

export const projectionLagSeconds = Family.gauge(
  "inferlog_projection_lag_seconds",
  "Age of the oldest event that the projection has not applied yet; 0 if there is none",
  ["projection"]
)

export const projectionStopped = Family.gauge(
  "inferlog_projection_stopped",
  "1 while the projection does not move although the log grows: it cannot apply an event or write its rows",
  ["projection"]
)

export const healthReason = Family.gauge(
  "inferlog_health_reason",
  "1 while `/health` is 503 for this reason",
  ["code"]
)
