import * as Family from "#src/platform/telemetry/metrics/Family.ts"

export const webhooksPending = Family.gauge({
  name: "inferlog_webhooks_pending",
  help: "Webhooks that wait for an attempt, due or not"
})

export const webhookOldestAge = Family.gauge({
  name: "inferlog_webhooks_oldest_due_age_seconds",
  help: "Time since the oldest due webhook became due; 0 if no webhook is due"
})

export const webhookAttempts = Family.counter({
  name: "inferlog_webhook_attempts_total",
  labels: ["result"],
  help: "Attempts to send a webhook that ended in this process: delivered, lost, or the error's code, such as http_4xx"
})

export const webhooksFailed = Family.counter({
  name: "inferlog_webhooks_failed_total",
  labels: ["reason"],
  help: "Webhooks given up by this process: exhausted, gone, private_address, erased or body_damaged"
})
