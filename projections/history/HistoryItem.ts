/** A request in the history. */
import { Schema } from "effect"
import { AccountId, RequestId } from "#domain/Ids.ts"
import { BillingStatus, StoredMedia } from "#domain/inference-request/Event.ts"
import { OutcomeWord, Status } from "#domain/inference-request/Status.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { NanoUsd } from "#domain/Money.ts"
import { UpstreamError } from "#domain/UpstreamError.ts"
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
  /** When the current run, or the run that ended the request, started. */
  runStartedAt: Schema.NullOr(Schema.Int),
  /**
   * The provider's time for the run that returned the output, ms. `null` without an output, or when the provider did not
   * report the start.
   */
  inferenceMs: Schema.NullOr(Schema.Int),
  /** The expected duration of a run at the submit, ms. `null` when it was not recorded. */
  expectedMs: Schema.NullOr(Schema.Int),
  endedAt: Schema.NullOr(Schema.Int),
  /** Whether the output breaks the model's schema. */
  hasViolations: Schema.BooleanFromBit,
  /** Whether a cancel stopped the run that made the output. */
  isCut: Schema.BooleanFromBit,
  billingStatus: Schema.NullOr(BillingStatus),
  /** nano-USD */
  amount: Schema.NullOr(NanoUsd),
  error: Schema.NullOr(Schema.String),
  /** What the provider said of the error besides its message. */
  upstream: Schema.NullOr(Schema.fromJsonString(UpstreamError)),
  /** The stored files of the output, including files erased since. */
  media: Schema.fromJsonString(Schema.Array(StoredMedia)),
  /** When input, output and files were erased. */
  erasedAt: Schema.NullOr(Schema.Int),
  /** Position of the event that set its status. A further run does not set it. */
  position: GlobalPosition
})
export type HistoryItem = typeof HistoryItem.Type
