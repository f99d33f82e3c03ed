/** Status and outcome of a request for clients (contract, "States and transitions"; decisions). */
import { Schema } from "effect"
import * as Money from "../Money.ts"
import type { UpstreamError } from "../UpstreamError.ts"
import type { BillingStatus } from "./Event.ts"
import { isTerminal } from "./State.ts"
import type { VisibleRequest } from "./VisibleRequest.ts"

export const Status = Schema.Literals(["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED"])
export type Status = typeof Status.Type

export const OutcomeWord = Schema.Literals([
  "pending",
  "succeeded",
  "partial",
  "invalid_output",
  "provider_failed",
  "failed",
  "cancelled",
  "expired"
])
export type OutcomeWord = typeof OutcomeWord.Type

/** Once a provider has started a request, it stays `IN_PROGRESS`, also while it waits for its next run. */
export const status = ({ phase, startedAt }: Pick<VisibleRequest, "phase" | "startedAt">): Status => {
  switch (phase._tag) {
    case "Queued":
    case "Dispatched":
    case "Running":
      return startedAt === null ? "IN_QUEUE" : "IN_PROGRESS"
    // The request ran, even if its start was never reported.
    case "Finalizing":
      return "IN_PROGRESS"
    case "Completed":
      return "COMPLETED"
    case "Failed":
      return "FAILED"
    case "Cancelled":
      return "CANCELLED"
  }
}

export const outcome = ({ phase, violations }: Pick<VisibleRequest, "phase" | "violations">): OutcomeWord => {
  switch (phase._tag) {
    case "Queued":
    case "Dispatched":
    case "Running":
    case "Finalizing":
      return "pending"
    case "Completed":
      return completedOutcome(phase.billing.status, violations.length > 0)
    case "Failed":
      return "failed"
    case "Cancelled":
      return phase.reason === "expired" ? "expired" : "cancelled"
  }
}

/**
 * An unbilled run either returned an output that its model forbids or failed at the provider (decisions, "Failure views").
 */
export const completedOutcome = (billing: BillingStatus, hasViolations: boolean): OutcomeWord => {
  if (hasViolations) return "invalid_output"
  switch (billing) {
    case "charged":
      return "succeeded"
    case "partial":
      return "partial"
    case "failed":
      return "provider_failed"
  }
}

/** `null` until the request has ended. */
export const billingStatus = ({ phase }: Pick<VisibleRequest, "phase">): BillingStatus | null => {
  if (phase._tag === "Completed") return phase.billing.status
  return isTerminal(phase) ? "failed" : null
}

/** The charge: zero before the end, and for a request that failed or was cancelled. */
export const cost = ({ phase }: Pick<VisibleRequest, "phase">): Money.NanoUsd =>
  phase._tag === "Completed" ? phase.billing.amount : Money.zero

/** What the provider said of the error besides its message; `null` if nothing, or for a request without an error. */
export const upstream = ({ phase }: Pick<VisibleRequest, "phase">): UpstreamError | null =>
  phase._tag === "Completed" || phase._tag === "Failed" ? (phase.upstream ?? null) : null

/** The error message of a request without a result. `null` for any other request. */
export const failure = ({ phase }: Pick<VisibleRequest, "phase">): string | null => {
  switch (phase._tag) {
    case "Completed":
      return phase.error
    case "Failed":
      return phase.message
    case "Queued":
    case "Dispatched":
    case "Running":
    case "Finalizing":
    case "Cancelled":
      return null
  }
}
