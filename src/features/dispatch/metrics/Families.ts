/** The metrics of runs, models and providers. */
import * as Family from "#src/platform/telemetry/metrics/Family.ts"

export const runsActive = Family.gauge("inferlog_dispatch_runs", "Runs under way in this process", ["model"])

export const runsLimit = Family.gauge(
  "inferlog_dispatch_runs_limit",
  "Runs that the model may have under way at once",
  ["model"]
)

export const expectedSeconds = Family.gauge(
  "inferlog_model_expected_seconds",
  "Run time of a model: quantile 0.5 or 0.9 of the last week, or the manifest's value while there are too few runs",
  ["model", "quantile"]
)

export const waitSeconds = Family.gauge(
  "inferlog_model_wait_seconds",
  "Likely wait of a request submitted now, estimated from the queue; +Inf while nothing can run it (see inferlog_model_waits)",
  ["model"]
)

export const modelWaits = Family.gauge(
  "inferlog_model_waits",
  "1 while no run of the model can begin on this node: cause is provider_down if no provider can be connected to, worker if none asks for its jobs, credentials if its provider's credential is not configured; otherwise 0",
  ["model", "cause"]
)

export const workersConnected = Family.gauge(
  "inferlog_workers_connected",
  "Workers of the model that wait at this node, have a job from it, or have called it within 10 s",
  ["model"]
)

export const providerCircuit = Family.gauge(
  "inferlog_provider_circuit",
  "State of the provider's circuit in this process: 0 closed, 1 half-open (one trial run), 2 open (no runs)",
  ["provider"]
)

export const providerPaused = Family.gauge(
  "inferlog_provider_paused_seconds",
  "Remaining time of the pause that the provider requested (429); 0 without one",
  ["provider"]
)

export const providerPauses = Family.counter(
  "inferlog_provider_pauses_total",
  "Runs that the provider postponed (429)",
  ["provider"]
)

export const providerRuns = Family.counter(
  "inferlog_provider_runs_total",
  "Runs that ended in this process: outcome is succeeded, model_failed, refused, transport_error, rate_limited, lost, unreachable, stopped or timed_out",
  ["provider", "outcome"]
)

export const providerRunsActive = Family.gauge(
  "inferlog_provider_runs",
  "Runs under way at the provider from this process",
  ["provider"]
)

export const providerRunsLimit = Family.gauge(
  "inferlog_provider_runs_limit",
  "Runs that the provider may have under way at once, over all nodes: its own limit, or the sum of its models' limits",
  ["provider"]
)
