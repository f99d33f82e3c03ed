/** The metrics of HTTP calls, connections and readers. */
import * as Family from "#src/platform/telemetry/metrics/Family.ts"

const requestSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

export const httpRequests = Family.counter(
  "inferlog_http_requests_total",
  "Exchanges by declared route; route is unmatched without one, status is 499 if the client left first",
  ["route", "method", "status"]
)

export const httpDuration = Family.histogram(
  "inferlog_http_request_duration_seconds",
  "Time from the arrival of the headers until the answer was ready, including a wait that the client requested",
  requestSeconds,
  ["route", "method"]
)

export const httpConnections = Family.gauge("inferlog_http_connections", "Open connections of clients")

export const answersOutstanding = Family.gauge(
  "inferlog_http_outstanding_bytes",
  "Bytes of answers that clients have not read yet"
)

export const slowReaders = Family.counter(
  "inferlog_http_slow_readers_dropped_total",
  "Connections ended because their client does not read (`stalled`), reads too slowly (`slow`), or was the slowest when others found no room (`pressed`)",
  ["reason"]
)

export const answersRefused = Family.counter(
  "inferlog_http_answers_refused_total",
  "Large answers refused because too many bytes wait to be read: of the `node`, the `client` or the `file`",
  ["scope"]
)
