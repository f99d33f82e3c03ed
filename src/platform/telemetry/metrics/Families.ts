/** The metrics of appends, log lines and the process. */
import * as Family from "./Family.ts"

const commitSeconds = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]
const batchSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]

export const buildInfo = Family.gauge(
  "inferlog_build_info",
  "Always 1; the labels show the release and the Node version",
  ["version", "node_version"]
)

export const appendBatch = Family.histogram(
  "inferlog_append_batch_size",
  "Appends that shared one commit of the log",
  batchSizes
)

export const appendDuration = Family.histogram(
  "inferlog_append_duration_seconds",
  "Time of one commit of the log, including its sync to disk",
  commitSeconds
)

export const eventsAppended = Family.counter(
  "inferlog_events_appended_total",
  "Events appended to the log by this process"
)

export const logLinesSuppressed = Family.counter(
  "inferlog_log_lines_suppressed_total",
  "Log lines dropped because their kind exceeded its limit per second",
  ["kind"]
)

export const residentMemory = Family.gauge(
  "inferlog_process_resident_memory_bytes",
  "Resident memory of the process"
)

export const heapUsed = Family.gauge("inferlog_process_heap_used_bytes", "Used heap of the main thread")

export const heapTotal = Family.gauge("inferlog_process_heap_total_bytes", "Reserved heap of the main thread")

export const eventLoopDelay = Family.gauge(
  "inferlog_process_event_loop_delay_p99_seconds",
  "99th percentile of the main thread's event loop delay, of the last 10 to 20 seconds"
)

export const cpuSeconds = Family.counter(
  "inferlog_process_cpu_seconds_total",
  "CPU time of the process: user or system",
  ["mode"]
)

export const startTime = Family.gauge(
  "inferlog_process_start_time_seconds",
  "Unix time at which the process started"
)

export const uptime = Family.gauge("inferlog_process_uptime_seconds", "Time since the process started")
