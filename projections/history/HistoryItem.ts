/** A request as the history shows it. */
import { Schema } from "effect"
import { AccountId, RequestId } from "#domain/Ids.ts"
import { BillingStatus } from "#domain/inference-request/Event.ts"
import { OutcomeWord, Status } from "#domain/inference-request/Status.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { NanoUsd } from "#domain/Money.ts"
import { GlobalPosition } from "#streams/GlobalPosition.ts"

/** Times are Unix time in ms. */
export const HistoryItem = Schema.Struct({
  requestId: RequestId,
  accountId: AccountId,
  model: ModelEndpoint,
  status: Status,
  outcome: OutcomeWord,
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
