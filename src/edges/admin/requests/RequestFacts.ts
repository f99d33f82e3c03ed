/** All facts about one request, from one read of its stream. */
import { Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { failure, outcome, status } from "#domain/inference-request/Status.ts"
import { isTerminal } from "#domain/inference-request/State.ts"
import type { PayloadRef } from "#domain/PayloadRef.ts"
import * as RequestUrls from "#src/features/requests/views/RequestUrls.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import { Payloads } from "#streams/Payload.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import { AdministrationFailed } from "../Operation.ts"
import {
  type ShownPayload,
  type ShownRequest,
  type ShowRequest,
  UnknownRequest
} from "./RequestOperations.ts"
import * as WallTime from "#domain/inference-request/WallTime.ts"

const { category, codec, decider } = InferenceRequest.aggregate

/** Event fields that are short and contain no input or output. */
const shownFields = [
  "attempt",
  "provider",
  "node",
  "jobId",
  "reason",
  "message",
  "error",
  "outcome",
  "fraction",
  "dueAt"
]

const factsOf = ({ data }: RecordedEvent): Record<string, Json> =>
  Object.fromEntries(
    shownFields.flatMap((name) => {
      const value = data[name] ?? null
      return value === null ? [] : [[name, value]]
    })
  )

export const make = Effect.gen(function* () {
  const reader = yield* EventReader
  const payloads = yield* Payloads
  const { queueUrl } = yield* PublicUrls

  const open = (
    stream: StreamName.StreamName,
    name: string,
    ref: PayloadRef | null
  ): Effect.Effect<ShownPayload, EventStoreError | BlobStoreError> =>
    ref === null
      ? Effect.succeed({ state: "none", text: null })
      : payloads.open(stream, name, ref).pipe(
          Effect.map((text) => ({ state: "stored" as const, text })),
          Effect.catchTag("PayloadUnavailable", ({ reason }) => Effect.succeed({ state: reason, text: null }))
        )

  return Effect.fnUntraced(function* ({ requestId, withPayloads }: typeof ShowRequest.Type) {
    const stream = StreamName.make(category, requestId)
    const events = yield* reader.read(stream)
    const version = events.at(-1)?.version
    const request = yield* Effect.try({
      try: () => events.map(codec.decode).reduce(decider.evolve, decider.initial),
      catch: () =>
        new AdministrationFailed({ reason: "An event of the request cannot be read: see 'log tail'" })
    })
    if (request._tag === "NotSubmitted" || version === undefined) return yield* new UnknownRequest()
    const { phase, submitted } = request
    const input = submitted.payloads.input
    const shown: ShownRequest = {
      requestId,
      accountId: submitted.accountId,
      keyId: submitted.keyId,
      model: submitted.model,
      modelVersion: submitted.modelVersion,
      status: status(request),
      outcome: outcome(request),
      error: failure(request),
      violations: request.violations,
      runs: request.attempt,
      progress: request.progress,
      createdAt: WallTime.dateOf(submitted),
      startedAt: request.startedAt === null ? null : WallTime.dateBy(request.startedAt, submitted),
      endedAt: isTerminal(phase) ? WallTime.dateBy(phase.at, submitted) : null,
      inferenceMs: phase._tag === "Completed" ? phase.inferenceMs : null,
      billing: phase._tag === "Completed" ? phase.billing : null,
      metadata: submitted.metadata,
      webhook: submitted.webhook ?? null,
      input,
      output: request.output?.ref ?? null,
      urls: RequestUrls.make(queueUrl, { id: requestId, request, version }),
      timeline: events.map((event) => ({
        position: event.position,
        time: event.time,
        type: event.type,
        facts: factsOf(event)
      })),
      payloads: withPayloads
        ? {
            input: yield* open(stream, "input", input),
            output: yield* open(stream, request.output?.name ?? "output", request.output?.ref ?? null),
            logs: request.logs
          }
        : null
    }
    return shown
  })
})
