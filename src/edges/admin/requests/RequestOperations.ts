/** Requests of all accounts: part of `Administration`. Times are Unix time in ms. */
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { AccountId, KeyId, RequestId } from "#domain/Ids.ts"
import { Billing, Violation, Webhook } from "#domain/inference-request/Event.ts"
import { OutcomeWord, Status } from "#domain/inference-request/Status.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { PayloadRef } from "#domain/PayloadRef.ts"
import { HistoryItem } from "#projections/history/HistoryItem.ts"
import { GlobalPosition } from "#streams/GlobalPosition.ts"
import { AdministrationFailed } from "../Operations.ts"

export const mostListed = 1_000

export const ListRequests = Schema.Struct({
  accountId: Schema.optionalKey(AccountId),
  model: Schema.optionalKey(ModelEndpoint),
  status: Schema.optionalKey(Status),
  /** The last request of the page before; `null` for the first page. */
  after: Schema.NullOr(RequestId),
  limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostListed }))
})

export const ShowRequest = Schema.Struct({
  requestId: RequestId,
  /** Payloads may contain personal data, so they are returned on demand only. */
  withPayloads: Schema.Boolean
})

/** One event of the request. */
const Step = Schema.Struct({
  position: GlobalPosition,
  time: Schema.Int,
  type: Schema.String,
  /** Short facts about the run: its number, node, provider, reason and others. */
  facts: Schema.Record(Schema.String, Schema.Json)
})

/** `text`: the canonical JSON of a `stored` payload. `damaged`: the payload does not match the hash in its event. */
const ShownPayload = Schema.Struct({
  state: Schema.Literals(["none", "stored", "erased", "lost", "damaged"]),
  text: Schema.NullOr(Schema.String)
})
export type ShownPayload = typeof ShownPayload.Type

export const ShownRequest = Schema.Struct({
  requestId: RequestId,
  accountId: AccountId,
  keyId: KeyId,
  model: ModelEndpoint,
  modelVersion: Schema.String,
  status: Status,
  outcome: OutcomeWord,
  error: Schema.NullOr(Schema.String),
  violations: Schema.Array(Violation),
  /** Number of runs. */
  runs: Schema.Int,
  /** 0..1 */
  progress: Schema.NullOr(Schema.Finite),
  createdAt: Schema.Int,
  /** When a provider first started it. */
  startedAt: Schema.NullOr(Schema.Int),
  endedAt: Schema.NullOr(Schema.Int),
  /** Duration of the run that ended the request, ms. */
  inferenceMs: Schema.NullOr(Schema.Int),
  billing: Schema.NullOr(Billing),
  metadata: Schema.Record(Schema.String, Schema.String),
  webhook: Schema.NullOr(Webhook),
  input: PayloadRef,
  output: Schema.NullOr(PayloadRef),
  urls: Schema.Struct({
    response_url: Schema.String,
    status_url: Schema.String,
    cancel_url: Schema.String
  }),
  timeline: Schema.Array(Step),
  /** `null` unless `withPayloads`. `logs`: the newest lines that the runs wrote. */
  payloads: Schema.NullOr(
    Schema.Struct({ input: ShownPayload, output: ShownPayload, logs: Schema.Array(Schema.String) })
  )
})
export type ShownRequest = typeof ShownRequest.Type

export class UnknownRequest extends Schema.TaggedError<UnknownRequest>()("UnknownRequest", {}) {
  override readonly message = "There is no such request"
}

const failures = Schema.Union([UnknownRequest, AdministrationFailed])

export const requestOperations = RpcGroup.make(
  /** Newest first; everything on the log at the time of the call. Fails with `UnknownRequest` when `after` is not a request. */
  Rpc.make("listRequests", {
    payload: ListRequests,
    success: Schema.Struct({
      requests: Schema.Array(HistoryItem),
      /** Whether a page follows. */
      hasMore: Schema.Boolean
    }),
    error: failures
  }),
  Rpc.make("showRequest", { payload: ShowRequest, success: ShownRequest, error: failures })
)
