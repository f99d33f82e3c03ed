/** What the history tells of a request, for when the log cannot be read. */
import type { Told, ToldPhase } from "#domain/inference-request/Told.ts"
import { zero } from "#domain/Money.ts"
import type { HistoryItem } from "#projections/history/HistoryItem.ts"
import { trustedVersion } from "#streams/ExpectedVersion.ts"
import type { Snapshot } from "./Requests.ts"

const phaseOf = (item: HistoryItem): ToldPhase => {
  const { amount, billingStatus, createdAt, endedAt, error, outcome, runStartedAt, status } = item
  const at = endedAt ?? createdAt
  switch (status) {
    case "IN_QUEUE":
      return { _tag: "Queued" }
    // As a run whose start was never reported: what is told of it is the same.
    case "IN_PROGRESS":
      return { _tag: "Finalizing" }
    case "COMPLETED":
      return {
        _tag: "Completed",
        at,
        billing: { status: billingStatus ?? "failed", amount: amount ?? zero },
        error,
        inferenceMs: runStartedAt === null ? null : at - runStartedAt
      }
    case "FAILED":
      return { _tag: "Failed", at, message: error ?? "" }
    case "CANCELLED":
      return { _tag: "Cancelled", at, reason: outcome === "expired" ? "expired" : "requested" }
  }
}

const requestOf = (item: HistoryItem): Told => ({
  phase: phaseOf(item),
  startedAt: item.startedAt,
  submitted: {
    at: item.createdAt,
    accountId: item.accountId,
    model: item.model,
    metadata: item.metadata
  },
  logs: [],
  violations: [],
  output: null,
  media: [],
  erasure: null
})

/** Its version is none that the log would give, so that an answer that was made of it is not taken for the whole one. */
export const snapshot = (item: HistoryItem): Snapshot => ({
  id: item.requestId,
  request: requestOf(item),
  version: trustedVersion(`history-${item.position}`)
})
