/** A request as the history shows it. */
import { Schema } from "effect"
import { AccountId, RequestId } from "#domain/Ids.ts"
import { BillingStatus, StoredMedia } from "#domain/inference-request/Event.ts"
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
  /** ms that the provider took for the run whose output is there; `null` while none is, and when it told of no start. */
  inferenceMs: Schema.NullOr(Schema.Int),
  /** What a run was expected to take when it was accepted, ms; `null` when that was not recorded. */
  expectedMs: Schema.NullOr(Schema.Int),
  endedAt: Schema.NullOr(Schema.Int),
  /** Whether the output breaks the model's schema. */
  hasViolations: Schema.BooleanFromBit,
  billingStatus: Schema.NullOr(BillingStatus),
  /** nano-USD */
  amount: Schema.NullOr(NanoUsd),
  error: Schema.NullOr(Schema.String),
  /** The stored files of the output, also those that were erased since. */
  media: Schema.fromJsonString(Schema.Array(StoredMedia)),
  /** When input, output and files were erased. */
  erasedAt: Schema.NullOr(Schema.Int),
  /** Of the event that gave it its status: a further run gives it none. */
  position: GlobalPosition
})
export type HistoryItem = typeof HistoryItem.Type
