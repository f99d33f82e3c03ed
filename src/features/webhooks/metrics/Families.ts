import * as Family from "#src/platform/telemetry/metrics/Family.ts"

export const webhooksPending = Family.gauge(
  "inferlog_webhooks_pending",
  "Webhooks that wait for an attempt, due or not"
)

export const webhookOldestAge = Family.gauge(
  "inferlog_webhooks_oldest_due_age_seconds",
  "Time since the oldest due webhook became due; 0 if no webhook is due"
)

export const webhookAttempts = Family.counter(
  "inferlog_webhook_attempts_total",
  "Attempts to send a webhook that ended in this process: delivered, lost, or the error's code, such as http_4xx",
  ["result"]
)

export const webhooksFailed = Family.counter(
  "inferlog_webhooks_failed_total",
  "Webhooks given up by this process: exhausted, gone, private_address, erased or body_damaged",
  ["reason"]
)
