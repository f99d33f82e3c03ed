/**
 * Erases the payloads and files of a request. Payload records are erased with the commit of their event; data outside
 * the log is erased after it and then recorded, so that a repeat, or the sweep after a crash, continues.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { FileId, type RequestId } from "#domain/Ids.ts"
import * as Erasing from "#domain/inference-request/Erasing.ts"
import type { ErasureReason } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { nextAction } from "#domain/inference-request/NextAction.ts"
import type { Request } from "#domain/inference-request/State.ts"
import { ChunkStore } from "#src/features/live-output/ChunkStore.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import * as DeliveryErasing from "#src/features/webhooks/DeliveryErasing.ts"
import * as DeliveryIds from "#src/features/requests/DeliveryIds.ts"
import { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { Payloads } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"

/** A request that has not ended cannot be erased. */
export class RequestNotEnded extends Schema.TaggedError<RequestNotEnded>()("RequestNotEnded", {}) {}

const isFile = Schema.is(FileId)

export class Eraser extends Context.Service<
  Eraser,
  {
    /** When it returns, no payload or file can be read; a repeat finishes what failed. False if erased before. */
    erase(
      id: RequestId,
      reason: ErasureReason
    ): Effect.Effect<boolean, RequestNotEnded | EventStoreError | BlobStoreError>
    /** Finishes an interrupted erasure; no effect on other requests. */
    resume(id: RequestId): Effect.Effect<void, EventStoreError | BlobStoreError>
  }
>()("inferlog/src/features/retention/Eraser") {
  static readonly layer = Layer.effect(
    Eraser,
    Effect.gen(function* () {
      const actors = yield* RequestActors
      const steady = yield* SteadyTime
      const payloads = yield* Payloads
      const media = yield* MediaStore
      const chunks = yield* ChunkStore
      const eraseDelivery = yield* DeliveryErasing.make

      const removePayload = (id: RequestId, { submitted }: Request) => {
        const stream = StreamName.make(InferenceRequest.aggregate.category, id)
        return ({ name, ref }: ReturnType<typeof Erasing.payloadsOf>[number]) =>
          payloads.removeErased({ owner: submitted.accountId, stream, name, ref })
      }

      const removeFiles = (request: Request) =>
        Effect.forEach(
          Erasing.filesOf(request).filter(isFile),
          (file) => media.remove(file, "request_erased"),
          { discard: true }
        )

      const eraseDeliveries = (id: RequestId, { submitted }: Request) =>
        Effect.forEach(submitted.webhook?.events ?? [], (event) => eraseDelivery(DeliveryIds.of(id, event)), {
          discard: true
        })

      /** Fails as other data outside the log does, so that the sweep continues. */
      const removeChunks = (id: RequestId) =>
        Effect.catchTag(chunks.remove(id), "ChunkStoreError", (cause) =>
          Effect.fail(new BlobStoreError({ reason: cause.message, cause }))
        )

      /** Forgets texts in memory every time, because that is not recorded. */
      const remove = Effect.fnUntraced(function* (id: RequestId, request: Request) {
        // It must not keep files from being removed.
        const chunksRemoved = yield* Effect.result(removeChunks(id))
        // All files, even if one fails.
        const [, failures] = yield* Effect.partition(Erasing.payloadsOf(request), removePayload(id, request))
        const [failure] = failures
        if (failure !== undefined) return yield* failure
        if (nextAction(request)._tag !== "RemoveFiles") return yield* Effect.fromResult(chunksRemoved)
        yield* removeFiles(request)
        yield* eraseDeliveries(id, request)
        yield* Effect.fromResult(chunksRemoved)
        const at = yield* steady.now
        yield* actors
          .execute(id, { _tag: "RecordRemoved", at })
          .pipe(Effect.catchTag(["RequestNotFound", "NotDispatchable", "RequestNotEnded"], Effect.die))
      })

      const erase: Eraser["Service"]["erase"] = Effect.fn("Eraser.erase")(function* (id, reason) {
        const at = yield* steady.now
        const { events, state } = yield* actors.execute(id, { _tag: "Erase", at, reason }).pipe(
          Effect.catchTag("RequestNotEnded", () => new RequestNotEnded()),
          Effect.catchTag(["RequestNotFound", "NotDispatchable"], Effect.die)
        )
        if (state._tag === "Request") yield* remove(id, state)
        return events.length > 0
      })

      const resume: Eraser["Service"]["resume"] = Effect.fn("Eraser.resume")(function* (id) {
        const { state } = yield* actors.current(id)
        if (state._tag === "Request" && state.erasure !== null) yield* remove(id, state)
      })

      return Eraser.of({ erase, resume })
    })
  )
}
