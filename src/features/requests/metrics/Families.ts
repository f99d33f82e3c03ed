/** The metrics of inference requests and their queues. */
import * as Family from "#src/platform/telemetry/metrics/Family.ts"

export const requestsSubmitted = Family.counter({
  name: "inferlog_requests_submitted_total",
  labels: ["model"],
  help: "Requests accepted by this process"
})

export const requestsEnded = Family.counter({
  name: "inferlog_requests_ended_total",
  labels: ["model", "outcome", "billing"],
  help: "Requests ended by this process: outcome is completed, failed or cancelled; billing is charged, partial, failed or none"
})

export const requestsRequeued = Family.counter({
  name: "inferlog_requests_requeued_total",
  labels: ["model", "reason"],
  help: "Requests to be tried again: after transport_error, rate_limited, unreachable, lost or shutdown they run again, after media_missing their files are stored again"
})

export const queueDepth = Family.gauge({
  name: "inferlog_queue_depth",
  labels: ["model"],
  help: "Requests that wait for a run, due or not"
})

export const queueOldestAge = Family.gauge({
  name: "inferlog_queue_oldest_age_seconds",
  labels: ["model"],
  help: "Time since the oldest due request became due; 0 if no request is due"
})
