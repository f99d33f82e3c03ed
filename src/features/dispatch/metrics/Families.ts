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
