/** The metrics of demand. */
import * as Family from "#src/platform/telemetry/metrics/Family.ts"

export const modelDemand = Family.gauge(
  "inferlog_model_demand",
  "Requests that wait for the model or run now, over all nodes and including its wrappers; every node shows the same, so take the maximum over nodes",
  ["model"]
)

export const demandWebhooks = Family.counter(
  "inferlog_demand_webhooks_total",
  "Attempts of this process to announce a model's demand: delivered, or the error's code, such as timeout or http_500",
  ["result"]
)
