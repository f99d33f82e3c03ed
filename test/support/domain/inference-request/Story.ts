/** The vocabulary of a request's scenarios. Times are small numbers of ms, for readability. */
import type { Command } from "#domain/inference-request/Command.ts"
import type {
  Deadlines,
  Event,
  MediaPlan,
  RequestSubmitted,
  StoredMedia
} from "#domain/inference-request/Event.ts"
import type { Request, State } from "#domain/inference-request/State.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as Money from "#domain/Money.ts"
import type { JudgedOutcome } from "#domain/Outcome.ts"
import * as Pricing from "#domain/Pricing.ts"
import { transportErrors } from "#domain/RetrySchedule.ts"

/** Four requested images at 0.002 each. */
export const quote = Pricing.quote(
  { unit: "image", unitPrice: Money.NanoUsd.make(2_000_000n), minimumCharge: Money.zero },
  Money.units(4),
  Money.units(4)
)

export const request: Omit<RequestSubmitted, "_tag"> = {
  at: 1_000,
  accountId: AccountId.make("acc_0123456789abcdef"),
  keyId: KeyId.make("key_0123456789abcdef_first000"),
  model: ModelEndpoint.make("sandbox/partial"),
  modelVersion: "1",
  metadata: { order: "7" },
  quote,
  retry: transportErrors,
  payloads: { input: { hash: "input-hash", size: 12 } }
}

export const output = { hash: "output-hash", size: 34 }

/** The output with the URLs of the stored files. */
export const result = { hash: "result-hash", size: 56 }

/** Files that the output names: one has a thumbnail, the other none. */
const plans: ReadonlyArray<MediaPlan> = [
  { path: "/images/0/url", fileId: "file-0", thumbnailId: "thumbnail-0" },
  { path: "/images/1/url", fileId: "file-1", thumbnailId: "thumbnail-1" }
]

export const storedMedia: ReadonlyArray<StoredMedia> = plans.map(({ path, fileId, thumbnailId }, index) => ({
  path,
  fileId,
  fileName: `${index}.png`,
  contentType: "image/png",
  size: 1_024,
  thumbnailId: index === 0 ? thumbnailId : null,
  owned: true
}))

export const violations = [{ instancePath: "/items/0", message: "must be object" }]

/** The outcomes of a run, by their names in a scenario. */
export const outcomes = {
  succeeded: { _tag: "Succeeded", output: { ref: output, violations: [] }, delivered: Money.units(4) },
  succeededWithMedia: {
    _tag: "Succeeded",
    output: { ref: output, violations: [], media: plans },
    delivered: Money.units(4)
  },
  invalid: { _tag: "Succeeded", output: { ref: output, violations }, delivered: Money.units(4) },
  modelFailed: { _tag: "ModelFailed", message: "out of memory" },
  refused: { _tag: "ProviderError", message: "no such deployment", retryable: false },
  transportError: { _tag: "ProviderError", message: "connection reset", retryable: true },
  rateLimited: { _tag: "RateLimited", retryAfterMs: 30_000 },
  unreachable: {
    _tag: "Unreachable",
    reason: "connection_refused",
    message: "The provider cannot be reached: its address refuses connections."
  },
  lost: { _tag: "Lost", message: "the node is gone" },
  stopped: { _tag: "Stopped" }
} as const satisfies Record<string, JudgedOutcome>

export const delivered = (units: number): JudgedOutcome => ({
  ...outcomes.succeeded,
  delivered: Money.units(units)
})

export const deliveredWithMedia = (units: number): JudgedOutcome => ({
  ...outcomes.succeededWithMedia,
  delivered: Money.units(units)
})

/** What a run that a cancel stopped had made by then. */
export const cut = (units: number, outcome = outcomes.succeeded as JudgedOutcome): JudgedOutcome =>
  outcome._tag === "Succeeded" ? { ...outcome, cut: true, delivered: Money.units(units) } : outcome

export const submit: Command = { _tag: "Submit", request }

export const dispatch = (at: number): Command => ({
  _tag: "Dispatch",
  at,
  provider: "builtin",
  node: "node-1"
})

export const end = (
  outcome: JudgedOutcome,
  { at = 5_000, attempt = 1, startedAt = null }: Partial<Extract<Command, { _tag: "RecordOutcome" }>> = {}
): Extract<Command, { _tag: "RecordOutcome" }> => ({ _tag: "RecordOutcome", at, attempt, startedAt, outcome })

/** Node-2 takes over node-1's run. */
export const takeOver = (
  at: number,
  { attempt = 1, from = "node-1" }: Partial<Extract<Command, { _tag: "TakeOver" }>> = {}
): Command => ({ _tag: "TakeOver", at, attempt, from, node: "node-2" })

export const recordMedia = (
  at: number,
  {
    attempt = 1,
    media = storedMedia,
    result: named = result
  }: Partial<Extract<Command, { _tag: "RecordMedia" }>> = {}
): Command => ({ _tag: "RecordMedia", at, attempt, media, result: named })

export const refuseMedia = (at: number, attempt = 1): Command => ({
  _tag: "RefuseMedia",
  at,
  attempt,
  message: "The file is not there."
})

export const sweepRetry = (
  at: number,
  reason: Extract<Command, { _tag: "SweepRetry" }>["reason"] = "lost",
  attempt = 1
): Command => ({ _tag: "SweepRetry", at, attempt, reason })

export const postponeMedia = (at: number, attempt = 1): Command => ({
  _tag: "PostponeMedia",
  at,
  attempt,
  message: "The file is not there."
})

export const submitted: Event = { _tag: "RequestSubmitted", ...request }

export const submittedWith = (deadlines: Deadlines): Event => ({
  _tag: "RequestSubmitted",
  ...request,
  deadlines
})

export const dispatched = (attempt = 1, at = 2_000): Event => ({
  _tag: "DispatchStarted",
  at,
  attempt,
  provider: "builtin",
  node: "node-1"
})

export const started = (attempt = 1, at = 3_000): Event => ({ _tag: "RequestStarted", at, attempt })

export const requeued = (
  attempt: number,
  dueAt: number,
  reason: Extract<Event, { _tag: "RequestRequeued" }>["reason"] = "transport_error"
): Event => ({ _tag: "RequestRequeued", at: 4_000, attempt, reason, message: null, dueAt })

export const cancelAsked: Event = { _tag: "CancelRequested", at: 4_000 }

export const received = {
  _tag: "OutputReceived",
  at: 5_000,
  attempt: 1,
  delivered: Money.units(4),
  payloads: { output }
} as const satisfies Event

export const receivedWithMedia = { ...received, media: plans } as const satisfies Event

export const mediaStored = {
  _tag: "MediaStored",
  at: 6_000,
  attempt: 1,
  media: storedMedia,
  payloads: { result }
} as const satisfies Event

export const completed = {
  _tag: "RequestCompleted",
  at: 5_000,
  attempt: 1,
  billing: { status: "charged", amount: quote.hold, units: Money.units(4) },
  error: null
} as const satisfies Event

export const notCharged = {
  ...completed,
  billing: { status: "failed", amount: Money.zero, units: Money.units(0) }
} as const satisfies Event

export const failed: Event = {
  _tag: "RequestFailed",
  at: 5_000,
  attempt: 1,
  reason: "refused",
  message: "no such deployment"
}

export const swept = (
  retry: number,
  at: number,
  dueAt: number,
  reason: Extract<Event, { _tag: "SweepRetried" }>["reason"] = "lost"
): Extract<Event, { _tag: "SweepRetried" }> => ({
  _tag: "SweepRetried",
  at,
  attempt: 1,
  reason,
  retry,
  dueAt
})

export const forceFailed = (at: number, retries = 5, attempt = 1): Event => ({
  _tag: "RequestForceFailed",
  at,
  attempt,
  retries,
  message: "The request could not be brought to an end."
})

export const erased = (
  names: ReadonlyArray<string>,
  hasFiles: boolean
): Extract<Event, { _tag: "PayloadsErased" }> => ({
  _tag: "PayloadsErased",
  at: 9_000,
  reason: "requested",
  erased: names,
  hasFiles
})

export const cancelled = (reason: "requested" | "expired" = "requested"): Event => ({
  _tag: "RequestCancelled",
  at: 5_000,
  reason
})

/** Expects that the request exists. */
export const ofRequest =
  <View>(look: (request: Request) => View) =>
  (state: State): View => {
    if (state._tag === "NotSubmitted") throw new Error("The request was not submitted")
    return look(state)
  }
