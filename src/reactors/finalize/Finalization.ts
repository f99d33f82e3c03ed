/**
 * From a received output to a settled request: every file that it names is stored under the id that was planned for it, the
 * output gets our URLs, and both are recorded with the charge. To be repeated after a crash at any point: what is stored
 * twice is stored once.
 */
import { Clock, Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { RequestId } from "#domain/Ids.ts"
import * as Erasing from "#domain/inference-request/Erasing.ts"
import type { StoredMedia } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { nextAction } from "#domain/inference-request/NextAction.ts"
import type { Request } from "#domain/inference-request/State.ts"
import type { PayloadRef } from "#domain/PayloadRef.ts"
import * as Payload from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { MediaStore } from "#src/media/MediaStore.ts"
import { MediaId } from "#src/media/MediaUrl.ts"
import * as JsonPointer from "#src/models/JsonPointer.ts"
import { RequestActors } from "#src/requests/RequestActors.ts"
import * as MediaCopies from "./MediaCopies.ts"

/** Files of one output that are stored at once. */
const concurrency = 4

const unreadable = "The output cannot be read."

export const make = Effect.gen(function* () {
  const actors = yield* RequestActors
  const payloads = yield* Payload.Payloads
  const store = yield* MediaStore
  const copy = yield* MediaCopies.make

  const streamOf = (id: RequestId) => StreamName.make(InferenceRequest.aggregate.category, id)

  /** Whatever of the files is ours and no event names: those of a run that its request did not wait for. */
  const removeFiles = (request: Request, media: ReadonlyArray<StoredMedia>) =>
    Effect.forEach(
      Erasing.filesOf({ ...request, media }),
      (fileId) =>
        Effect.catch(store.remove(MediaId.make(fileId)), (error) =>
          Effect.logWarning("A file that nobody needs is left behind", error)
        ),
      { discard: true }
    )

  const settle = Effect.fnUntraced(function* (
    id: RequestId,
    request: Request,
    copies: ReadonlyArray<MediaCopies.Copied>,
    output: Json
  ) {
    const { accountId: owner } = request.submitted
    const media = copies.map(({ stored }) => stored)
    const result = copies.reduce<Json>(
      (json, { stored, url }) => JsonPointer.replaceAt(json, stored.path, url),
      output
    )
    const sealed =
      result === output
        ? null
        : yield* payloads.seal({ owner, stream: streamOf(id), name: "result", json: result })
    const { events, state } = yield* actors.execute(
      id,
      {
        _tag: "RecordMedia",
        at: yield* Clock.currentTimeMillis,
        attempt: request.attempt,
        media,
        result: sealed === null ? null : Payload.refOf(sealed)
      },
      sealed === null ? [] : [sealed]
    )
    if (events.some(({ _tag }) => _tag === "MediaStored")) return
    // Cancelled or failed meanwhile, or another node was first: then the files are the ones that it recorded.
    if (sealed !== null) yield* payloads.discard([sealed])
    if (state._tag === "Request" && state.media.length === 0) yield* removeFiles(request, media)
  })

  const refuse = Effect.fnUntraced(function* (id: RequestId, request: Request, message: string) {
    const at = yield* Clock.currentTimeMillis
    yield* actors.execute(id, { _tag: "RefuseMedia", at, attempt: request.attempt, message })
    yield* removeFiles(request, [])
  })

  const postpone = Effect.fnUntraced(function* (id: RequestId, { attempt }: Request, error: Error) {
    yield* Effect.logWarning("The files of an output cannot be stored for now", error)
    const at = yield* Clock.currentTimeMillis
    yield* actors.execute(id, { _tag: "SweepRetry", at, attempt, reason: "media_missing" })
  })

  const copyAll = Effect.fnUntraced(function* (id: RequestId, request: Request, raw: PayloadRef) {
    const output = JSON.parse(yield* payloads.open(streamOf(id), "output", raw)) as Json
    const copies = yield* Effect.forEach(
      request.plannedMedia,
      (plan, index) => copy({ id, plan, index, source: JsonPointer.at(output, plan.path) }),
      { concurrency }
    )
    yield* settle(id, request, copies, output)
  })

  /** Does nothing for a request that is not waiting for its files. */
  return Effect.fn("Finalization.finalize")(function* (id: RequestId) {
    const { state } = yield* actors.current(id)
    if (state._tag === "NotSubmitted" || nextAction(state)._tag !== "Finalize") return
    if (state.rawOutput === null) return yield* refuse(id, state, unreadable)
    yield* copyAll(id, state, state.rawOutput).pipe(
      Effect.catchTags({
        RemoteRefused: ({ message }) => refuse(id, state, message),
        PayloadUnavailable: () => refuse(id, state, unreadable),
        RemoteUnavailable: (error) => postpone(id, state, error),
        BlobStoreError: (error) => postpone(id, state, error)
      })
    )
  })
})
