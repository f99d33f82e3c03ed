/** Every metric of the server, in the order of its documentation. */
import * as Family from "./Family.ts"

const requestSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]
const commitSeconds = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]
const batchSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]

export const buildInfo = Family.gauge({
  name: "inferlog_build_info",
  labels: ["version", "node_version"],
  help: "Always 1; which release runs on which Node"
})

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
  help: "Requests to be tried again: after transport_error, rate_limited, unreachable, lost or shutdown run again, after media_missing their files stored again"
})

export const queueDepth = Family.gauge({
  name: "inferlog_queue_depth",
  labels: ["model"],
  help: "Requests that wait for a run, due or not"
})

export const queueOldestAge = Family.gauge({
  name: "inferlog_queue_oldest_age_seconds",
  labels: ["model"],
  help: "How long the request that is due longest has been due; 0 when none is"
})

export const runsActive = Family.gauge({
  name: "inferlog_dispatch_runs",
  labels: ["model"],
  help: "Runs under way in this process"
})

export const runsLimit = Family.gauge({
  name: "inferlog_dispatch_runs_limit",
  labels: ["model"],
  help: "Runs that the model may have under way at once"
})

export const expectedSeconds = Family.gauge({
  name: "inferlog_model_expected_seconds",
  labels: ["model", "quantile"],
  help: "So many of the last week's runs took no longer: quantile is 0.5 or 0.9; what the manifest says while there are too few"
})

export const waitSeconds = Family.gauge({
  name: "inferlog_model_wait_seconds",
  labels: ["model"],
  help: "How long a request submitted now is likely to wait for its run, estimated from the queue; as it was last while no run can begin"
})

export const modelWaits = Family.gauge({
  name: "inferlog_model_waits",
  labels: ["model", "cause"],
  help: "1 while no run of the model can begin on this node: cause is provider_down where no connection to a provider can be made, worker where none asks for its jobs; else 0"
})

export const providerCircuit = Family.gauge({
  name: "inferlog_provider_circuit",
  labels: ["provider"],
  help: "Whether this process begins runs at the provider: 0 yes, 1 one to see how it does, 2 none, for it fails"
})

export const providerPaused = Family.gauge({
  name: "inferlog_provider_paused_seconds",
  labels: ["provider"],
  help: "What is left of the time for which the provider asked to be left alone (429); 0 when it did not"
})

export const providerPauses = Family.counter({
  name: "inferlog_provider_pauses_total",
  labels: ["provider"],
  help: "Runs that the provider put off (429)"
})

export const providerRuns = Family.counter({
  name: "inferlog_provider_runs_total",
  labels: ["provider", "outcome"],
  help: "Runs that ended in this process: outcome is succeeded, model_failed, refused, transport_error, rate_limited, lost, unreachable, stopped or timed_out"
})

export const providerRunsActive = Family.gauge({
  name: "inferlog_provider_runs",
  labels: ["provider"],
  help: "Runs under way at the provider from this process"
})

export const providerRunsLimit = Family.gauge({
  name: "inferlog_provider_runs_limit",
  labels: ["provider"],
  help: "Runs that the provider may have under way at once, over all nodes: its own limit, or what its models allow together"
})

export const webhooksPending = Family.gauge({
  name: "inferlog_webhooks_pending",
  labels: [],
  help: "Webhooks that wait for an attempt, due or not"
})

export const webhookOldestAge = Family.gauge({
  name: "inferlog_webhooks_oldest_due_age_seconds",
  labels: [],
  help: "How long the webhook that is due longest has been due; 0 when none is"
})

export const webhookAttempts = Family.counter({
  name: "inferlog_webhook_attempts_total",
  labels: ["result"],
  help: "Attempts to send a webhook that ended in this process: delivered, lost, or the word of the error, with http_4xx and the like for statuses"
})

export const webhooksFailed = Family.counter({
  name: "inferlog_webhooks_failed_total",
  labels: ["reason"],
  help: "Webhooks given up by this process: exhausted, gone, private_address, erased or body_damaged"
})

export const appendBatch = Family.histogram({
  name: "inferlog_append_batch_size",
  labels: [],
  help: "Appends that shared one commit of the log",
  boundaries: batchSizes
})

export const appendDuration = Family.histogram({
  name: "inferlog_append_duration_seconds",
  labels: [],
  help: "Time of one commit of the log, its sync to disk included",
  boundaries: commitSeconds
})

export const eventsAppended = Family.counter({
  name: "inferlog_events_appended_total",
  labels: [],
  help: "Events appended to the log by this process"
})

export const logHead = Family.gauge({
  name: "inferlog_log_head_position",
  labels: [],
  help: "Position of the last event of the log"
})

export const walBytes = Family.gauge({
  name: "inferlog_log_wal_bytes",
  labels: [],
  help: "Size of log.sqlite-wal, about once a second while the log is written; more than 64 MiB: a reader holds it up, or log.sqlite cannot be written"
})

export const payloadsDamaged = Family.counter({
  name: "inferlog_payloads_damaged_total",
  labels: [],
  help: "Reads of stored inputs, outputs and webhook bodies that are lost or are not what the log says"
})

export const projectionLagEvents = Family.gauge({
  name: "inferlog_projection_lag_events",
  labels: ["projection"],
  help: "Events of the log that the projection has not applied yet"
})

export const projectionLagSeconds = Family.gauge({
  name: "inferlog_projection_lag_seconds",
  labels: ["projection"],
  help: "Age of the oldest event that the projection has not applied yet; 0 when there is none"
})

export const projectionStopped = Family.gauge({
  name: "inferlog_projection_stopped",
  labels: ["projection"],
  help: "1 while the projection does not move although the log has: it met an event that it cannot apply, or its rows cannot be written"
})

export const healthReason = Family.gauge({
  name: "inferlog_health_reason",
  labels: ["code"],
  help: "1 while `/health` is 503 for this reason"
})

export const manifestErrors = Family.gauge({
  name: "inferlog_manifest_errors",
  labels: [],
  help: "Errors in the manifests of MODELS_DIR; what they are about stays as it was published"
})

export const httpRequests = Family.counter({
  name: "inferlog_http_requests_total",
  labels: ["route", "method", "status"],
  help: "Exchanges by declared route; route is unmatched when there is none, status is 499 when the client left first"
})

export const httpDuration = Family.histogram({
  name: "inferlog_http_request_duration_seconds",
  labels: ["route", "method"],
  help: "Time from the arrival of the headers until the answer was ready, waiting that the client asked for included",
  boundaries: requestSeconds
})

export const httpConnections = Family.gauge({
  name: "inferlog_http_connections",
  labels: [],
  help: "Open connections of clients"
})

export const answersOutstanding = Family.gauge({
  name: "inferlog_http_outstanding_bytes",
  labels: [],
  help: "Bytes of answers that are held for clients which have not read them yet"
})

export const slowReaders = Family.counter({
  name: "inferlog_http_slow_readers_dropped_total",
  labels: ["reason"],
  help: "Connections ended because their client does not read (`stalled`), reads next to nothing (`slow`), or was the slowest where others found no room (`pressed`)"
})

export const answersRefused = Family.counter({
  name: "inferlog_http_answers_refused_total",
  labels: ["scope"],
  help: "Large answers refused because too much waits to be read: of the `node`, the `client` or the `file`"
})

export const logLinesSuppressed = Family.counter({
  name: "inferlog_log_lines_suppressed_total",
  labels: ["kind"],
  help: "Log lines left out because there were too many of their kind in one second"
})

export const residentMemory = Family.gauge({
  name: "inferlog_process_resident_memory_bytes",
  labels: [],
  help: "Resident memory of the process"
})

export const heapUsed = Family.gauge({
  name: "inferlog_process_heap_used_bytes",
  labels: [],
  help: "Used heap of the main thread"
})

export const heapTotal = Family.gauge({
  name: "inferlog_process_heap_total_bytes",
  labels: [],
  help: "Reserved heap of the main thread"
})

export const eventLoopDelay = Family.gauge({
  name: "inferlog_process_event_loop_delay_p99_seconds",
  labels: [],
  help: "99th percentile of the main thread's event loop delay, of the last 10 to 20 seconds"
})

export const cpuSeconds = Family.counter({
  name: "inferlog_process_cpu_seconds_total",
  labels: ["mode"],
  help: "CPU time of the process: user or system"
})

export const startTime = Family.gauge({
  name: "inferlog_process_start_time_seconds",
  labels: [],
  help: "Unix time at which the process started"
})

export const uptime = Family.gauge({
  name: "inferlog_process_uptime_seconds",
  labels: [],
  help: "Time since the process started"
})

export const all: ReadonlyArray<Family.Described> = [
  queueDepth,
  queueOldestAge,
  runsActive,
  runsLimit,
  expectedSeconds,
  waitSeconds,
  modelWaits,
  providerCircuit,
  providerPaused,
  providerPauses,
  providerRuns,
  providerRunsActive,
  providerRunsLimit,
  requestsSubmitted,
  requestsEnded,
  requestsRequeued,
  webhooksPending,
  webhookOldestAge,
  webhookAttempts,
  webhooksFailed,
  appendBatch,
  appendDuration,
  eventsAppended,
  logHead,
  walBytes,
  payloadsDamaged,
  projectionLagEvents,
  projectionLagSeconds,
  projectionStopped,
  healthReason,
  manifestErrors,
  httpRequests,
  httpDuration,
  httpConnections,
  answersOutstanding,
  slowReaders,
  answersRefused,
  logLinesSuppressed,
  residentMemory,
  heapUsed,
  heapTotal,
  eventLoopDelay,
  cpuSeconds,
  startTime,
  uptime,
  buildInfo
]
