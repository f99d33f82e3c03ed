/** A request as the history shows it. */
import { Schema } from "effect"
import { AccountId, RequestId } from "#domain/Ids.ts"
import { BillingStatus } from "#domain/inference-request/Event.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { NanoUsd } from "#domain/Money.ts"
import { GlobalPosition } from "#streams/GlobalPosition.ts"

export const Status = Schema.Literals(["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED"])
export type Status = typeof Status.Type

/** decisions, "outcome". */
export const Outcome = Schema.Literals([
  "pending",
  "succeeded",
  "partial",
  "invalid_output",
  "provider_failed",
  "failed",
  "cancelled",
  "expired"
])
export type Outcome = typeof Outcome.Type

/** Times are Unix time in ms. */
export const HistoryItem = Schema.Struct({
  requestId: RequestId,
  accountId: AccountId,
  model: ModelEndpoint,
  status: Status,
  outcome: Outcome,
  metadata: Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)),
  createdAt: Schema.Int,
  /** When a provider first started it. */
  startedAt: Schema.NullOr(Schema.Int),
  /** When the run that is under way, or ended the request, was started. */
  runStartedAt: Schema.NullOr(Schema.Int),
  endedAt: Schema.NullOr(Schema.Int),
  billingStatus: Schema.NullOr(BillingStatus),
  amount: Schema.NullOr(NanoUsd),
  error: Schema.NullOr(Schema.String),
  /** Of the event that gave it its status. */
  position: GlobalPosition
})
export type HistoryItem = typeof HistoryItem.Type
