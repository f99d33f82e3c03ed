/** The metrics of runs, models and providers. */
import * as Family from "#src/platform/telemetry/metrics/Family.ts"

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
  help: "Run time of a model: quantile 0.5 or 0.9 of the last week, or the manifest's value while there are too few runs"
})

export const waitSeconds = Family.gauge({
  name: "inferlog_model_wait_seconds",
  labels: ["model"],
  help: "Likely wait of a request submitted now, estimated from the queue; unchanged while no run can begin"
})

export const modelWaits = Family.gauge({
  name: "inferlog_model_waits",
  labels: ["model", "cause"],
  help: "1 while no run of the model can begin on this node: cause is provider_down if no provider can be connected to, worker if none asks for its jobs; otherwise 0"
})

export const providerCircuit = Family.gauge({
  name: "inferlog_provider_circuit",
  labels: ["provider"],
  help: "State of the provider's circuit in this process: 0 closed, 1 half-open (one trial run), 2 open (no runs)"
})

export const providerPaused = Family.gauge({
  name: "inferlog_provider_paused_seconds",
  labels: ["provider"],
  help: "Remaining time of the pause that the provider requested (429); 0 without one"
})

export const providerPauses = Family.counter({
  name: "inferlog_provider_pauses_total",
  labels: ["provider"],
  help: "Runs that the provider postponed (429)"
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
  help: "Runs that the provider may have under way at once, over all nodes: its own limit, or the sum of its models' limits"
})
