/**
 * Turns a provider's report into the request's outcome: validates the output against the model's schema, and seals it.
 */
import { Effect } from "effect"
import * as JsonText from "#domain/JsonText.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { MediaPlan } from "#domain/inference-request/Event.ts"
import type { JudgedOutcome, RunOutcome, Violation } from "#domain/Outcome.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as Payload from "#streams/Payload.ts"
import type { SealedPayload } from "#streams/SealedPayload.ts"
import * as StreamName from "#streams/StreamName.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import type { Job } from "#src/features/providers/Provider.ts"
import type { PlannedFiles } from "./PlannedFiles.ts"

export interface Judged {
  readonly outcome: JudgedOutcome
  readonly payloads: ReadonlyArray<SealedPayload>
}

/** Stored characters of a provider's error text. */
const maxMessageLength = 4_000

/** The most stored violations, and bytes of their texts: the event must fit into a message of 1 MB. */
const maxViolations = 1_000
const maxViolationBytes = 32 * 1_024

/**
 * Bounds of a provider's retry time, ms: "at once" must not cause a loop, and after "never" it is asked again tomorrow.
 */
const minRetryAfterMs = 250
const maxRetryAfterMs = 24 * 60 * 60 * 1_000

const cut = <A extends { readonly message: string }>(outcome: A): A => ({
  ...outcome,
  message: outcome.message.slice(0, maxMessageLength)
})

/** The first ones that fit, and always the very first: without one the output would count as valid. */
const fitting = (violations: ReadonlyArray<Violation>): ReadonlyArray<Violation> => {
  let bytes = 0
  const end = violations.findIndex(({ instancePath, message }, index) => {
    bytes += Buffer.byteLength(instancePath) + Buffer.byteLength(message)
    return index === maxViolations || (index > 0 && bytes > maxViolationBytes)
  })
  return end === -1 ? violations : violations.slice(0, end)
}

/** `payloads` seals the output, and `plan` assigns ids to its files. Other outcomes need neither. */
export const judge = (
  payloads: Payload.Payloads["Service"],
  plan: PlannedFiles["plan"],
  job: Pick<Job, "requestId" | "accountId">,
  /** `null` if the model is gone, in which case no run can have succeeded. */
  entry: CatalogEntry | null,
  outcome: RunOutcome
): Effect.Effect<Judged, BlobStoreError | EventStoreError> => {
  switch (outcome._tag) {
    case "Succeeded": {
      const violations = fitting(entry?.validateOutput(outcome.output) ?? [])
      const pointers = violations.length > 0 ? [] : (entry?.mediaPointers(outcome.output) ?? [])
      const { text = JsonText.write(outcome.output), ...succeeded } = outcome
      const seal = (media: ReadonlyArray<MediaPlan>) =>
        Effect.mapEager(sealOutput(payloads, job, text), (payload): Judged => {
          const output = { ref: Payload.refOf(payload), violations }
          return {
            outcome: { ...succeeded, output: media.length === 0 ? output : { ...output, media } },
            payloads: [payload]
          }
        })
      return pointers.length === 0
        ? seal([])
        : Effect.flatMap(plan(job.requestId, outcome.output, pointers), seal)
    }
    case "ModelFailed":
    case "ProviderError":
    case "Lost":
    case "Unreachable":
      return Effect.succeed({ outcome: cut(outcome), payloads: [] })
    case "RateLimited": {
      const requestedMs = Number.isNaN(outcome.retryAfterMs) ? 0 : Math.ceil(outcome.retryAfterMs)
      const retryAfterMs = Math.min(Math.max(requestedMs, minRetryAfterMs), maxRetryAfterMs)
      return Effect.succeed({ outcome: { ...outcome, retryAfterMs }, payloads: [] })
    }
    case "Stopped":
      return Effect.succeed({ outcome, payloads: [] })
  }
}

/** Settled for an output that is stored beside the events. */
const sealOutput = (
  payloads: Payload.Payloads["Service"],
  { accountId: owner, requestId }: Pick<Job, "requestId" | "accountId">,
  text: string
): Effect.Effect<SealedPayload, BlobStoreError> => {
  const stream = StreamName.make(InferenceRequest.aggregate.category, requestId)
  return payloads.seal({ owner, stream, name: "output", text })
}
