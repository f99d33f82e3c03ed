/** A request from the history, without payloads, logs and issues: for lists, and while the log is unavailable. */
import type { Violation } from "#domain/Outcome.ts"
import type { VisibleRequest, VisiblePhase } from "#domain/inference-request/VisibleRequest.ts"
import { zero } from "#domain/Money.ts"
import type { HistoryItem } from "#projections/history/HistoryItem.ts"
import { trustedVersion } from "#streams/ExpectedVersion.ts"
import type { Snapshot } from "./Requests.ts"

/** The history says that an output breaks its schema, but not where. */
const someViolation: Violation = { instancePath: "", message: "is unknown while the log cannot be read" }

const phaseOf = (item: HistoryItem): VisiblePhase => {
  const { amount, billingStatus, createdAt, endedAt, error, inferenceMs, outcome, status, upstream } = item
  const at = endedAt ?? createdAt
  switch (status) {
    case "IN_QUEUE":
      return { _tag: "Queued" }
    // Like a run whose start was never reported: clients see the same.
    case "IN_PROGRESS":
      return { _tag: "Finalizing" }
    case "COMPLETED":
      return {
        _tag: "Completed",
        at,
        billing: { status: billingStatus ?? "failed", amount: amount ?? zero },
        error,
        inferenceMs,
        ...(upstream !== null && { upstream })
      }
    case "FAILED":
      return { _tag: "Failed", at, message: error ?? "", ...(upstream !== null && { upstream }) }
    case "CANCELLED":
      return { _tag: "Cancelled", at, reason: outcome === "expired" ? "expired" : "requested" }
  }
}

const requestOf = (item: HistoryItem): VisibleRequest => ({
  phase: phaseOf(item),
  startedAt: item.startedAt,
  submitted: {
    at: item.createdAt,
    accountId: item.accountId,
    model: item.model,
    ...(item.expectedMs === null ? {} : { expectedMs: item.expectedMs }),
    metadata: item.metadata
  },
  logs: [],
  isCut: item.isCut,
  violations: item.hasViolations ? [someViolation] : [],
  output: null,
  media: item.media,
  erasure: item.erasedAt === null ? null : { at: item.erasedAt }
})

/** A version that the log never gives, because the entity tag must differ from that of the whole request. */
export const snapshot = (item: HistoryItem): Snapshot => ({
  id: item.requestId,
  request: requestOf(item),
  version: trustedVersion(`history-${item.position}${item.erasedAt === null ? "" : "-erased"}`)
})
