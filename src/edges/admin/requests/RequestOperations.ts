/** Requests of all accounts: part of `Administration`. Times are Unix time in ms. */
import { Schema } from "effect"
import { AccountId, KeyId, RequestId } from "#domain/Ids.ts"
import { Billing, StoredMedia, Violation, Webhook } from "#domain/inference-request/Event.ts"
import { OutcomeWord, Status } from "#domain/inference-request/Status.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { PayloadRef } from "#domain/PayloadRef.ts"
import { HistoryItem } from "#projections/history/HistoryItem.ts"
import { GlobalPosition } from "#streams/GlobalPosition.ts"
import * as Operation from "../Operation.ts"
import * as Wire from "../Wire.ts"

export const ListRequests = Schema.Struct({
  accountId: Schema.optionalKey(AccountId),
  model: Schema.optionalKey(ModelEndpoint),
  status: Schema.optionalKey(Status),
  ...Wire.paging(RequestId)
})

export const ShowRequest = Schema.Struct({
  requestId: RequestId,
  /** Payloads may contain personal data, so they are returned on demand only. */
  withPayloads: Wire.orElse(Schema.Boolean, false)
})

/** `HistoryItem`, as operators read it. */
const ListedRequest = Schema.Struct({
  ...HistoryItem.fields,
  metadata: Schema.Record(Schema.String, Schema.String),
  createdAt: Wire.Time,
  startedAt: Wire.TimeOrNull,
  runStartedAt: Wire.TimeOrNull,
  endedAt: Wire.TimeOrNull,
  hasViolations: Schema.Boolean,
  amount: Schema.NullOr(Wire.Usd),
  media: Schema.Array(StoredMedia),
  erasedAt: Wire.TimeOrNull
})

/** One event of the request. */
const Step = Schema.Struct({
  position: GlobalPosition,
  time: Wire.Time,
  type: Schema.String,
  /** Short facts about the run: its number, node, provider, reason and others. */
  facts: Schema.Record(Schema.String, Schema.Json)
})

/** `text`: the JSON text of a `stored` payload. `damaged`: the payload does not match the hash in its event. */
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
  createdAt: Wire.Time,
  /** When a provider first started it. */
  startedAt: Wire.TimeOrNull,
  endedAt: Wire.TimeOrNull,
  /** Duration of the run that ended the request, ms. */
  inferenceMs: Schema.NullOr(Schema.Int),
  billing: Schema.NullOr(Schema.Struct({ ...Billing.fields, amount: Wire.Usd, units: Wire.Units })),
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

export const requestOperations = [
  Operation.make("listRequests", {
    route: "GET /requests",
    role: "viewer",
    summary: "List requests",
    description:
      "Of all accounts, newest first; everything on the log at the time of the call. Without inputs and outputs.",
    payload: ListRequests.fields,
    success: Wire.page(ListedRequest, RequestId),
    errors: [UnknownRequest]
  }),
  Operation.make("showRequest", {
    route: "GET /requests/:requestId",
    role: "viewer",
    roleOf: ({ withPayloads }) => (withPayloads ? "owner" : "viewer"),
    isRecorded: ({ withPayloads }) => withPayloads,
    summary: "All facts about a request",
    description:
      "Its state and its timeline. `withPayloads` adds input, output and log lines, needs the role owner, and is recorded as an action.",
    payload: ShowRequest.fields,
    success: ShownRequest,
    errors: [UnknownRequest]
  })
] as const
