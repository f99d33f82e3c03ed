/** The metrics of appends, log lines and the process. */
import * as Family from "./Family.ts"

const commitSeconds = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]
const batchSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]

export const buildInfo = Family.gauge({
  name: "inferlog_build_info",
  labels: ["version", "node_version"],
  help: "Always 1; the labels show the release and the Node version"
})

export const appendBatch = Family.histogram({
  name: "inferlog_append_batch_size",
  help: "Appends that shared one commit of the log",
  boundaries: batchSizes
})

export const appendDuration = Family.histogram({
  name: "inferlog_append_duration_seconds",
  help: "Time of one commit of the log, including its sync to disk",
  boundaries: commitSeconds
})

export const eventsAppended = Family.counter({
  name: "inferlog_events_appended_total",
  help: "Events appended to the log by this process"
})

export const logLinesSuppressed = Family.counter({
  name: "inferlog_log_lines_suppressed_total",
  labels: ["kind"],
  help: "Log lines dropped because their kind exceeded its limit per second"
})

export const residentMemory = Family.gauge({
  name: "inferlog_process_resident_memory_bytes",
  help: "Resident memory of the process"
})

export const heapUsed = Family.gauge({
  name: "inferlog_process_heap_used_bytes",
  help: "Used heap of the main thread"
})

export const heapTotal = Family.gauge({
  name: "inferlog_process_heap_total_bytes",
  help: "Reserved heap of the main thread"
})

export const eventLoopDelay = Family.gauge({
  name: "inferlog_process_event_loop_delay_p99_seconds",
  help: "99th percentile of the main thread's event loop delay, of the last 10 to 20 seconds"
})

export const cpuSeconds = Family.counter({
  name: "inferlog_process_cpu_seconds_total",
  labels: ["mode"],
  help: "CPU time of the process: user or system"
})

export const startTime = Family.gauge({
  name: "inferlog_process_start_time_seconds",
  help: "Unix time at which the process started"
})

export const uptime = Family.gauge({
  name: "inferlog_process_uptime_seconds",
  help: "Time since the process started"
})
