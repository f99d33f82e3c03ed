/** The metrics of inference requests and their queues. */
import * as Family from "#src/platform/telemetry/metrics/Family.ts"

export const requestsSubmitted = Family.counter(
  "inferlog_requests_submitted_total",
  "Requests accepted by this process",
  ["model"]
)

export const requestsEnded = Family.counter(
  "inferlog_requests_ended_total",
  "Requests ended by this process: outcome is completed, failed or cancelled; billing is charged, partial, failed or none",
  ["model", "outcome", "billing"]
)

export const requestsRequeued = Family.counter(
  "inferlog_requests_requeued_total",
  "Requests to be tried again: after transport_error, rate_limited, unreachable, lost or shutdown they run again, after media_missing their files are stored again",
  ["model", "reason"]
)

export const queueDepth = Family.gauge("inferlog_queue_depth", "Requests that wait for a run, due or not", [
  "model"
])

export const queueOldestAge = Family.gauge(
  "inferlog_queue_oldest_age_seconds",
  "Time since the oldest due request became due; 0 if no request is due",
  ["model"]
)
