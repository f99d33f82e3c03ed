/** The metrics of HTTP calls, connections and readers. */
import * as Family from "#src/platform/telemetry/metrics/Family.ts"

const requestSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

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
