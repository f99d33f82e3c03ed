/**
 * Settles a request whose output names files: stores every file under its planned id, puts our URLs into the output,
 * and records both with the charge. Repeatable after a crash at any point: a file that is stored twice exists once.
 */
import { Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import { FileId, type RequestId } from "#domain/Ids.ts"
import * as Erasing from "#domain/inference-request/Erasing.ts"
import type { StoredMedia } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { nextAction } from "#domain/inference-request/NextAction.ts"
import type { Request } from "#domain/inference-request/State.ts"
import type { PayloadRef } from "#domain/PayloadRef.ts"
import * as Payload from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { RemoteUnavailable } from "#src/features/media/RemoteFailure.ts"
import * as JsonPointer from "#src/features/catalog/models/JsonPointer.ts"
import { untilStored } from "#src/platform/reactors/UntilStored.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as MediaCopies from "./MediaCopies.ts"
import * as WallTime from "#domain/inference-request/WallTime.ts"

/** Files of one output stored at the same time. */
const concurrency = 4

/** Slow downloads must not block other requests for ever. Files stored by then are stored again. */
const timeLimit = "15 minutes"

const unreadable = "The output cannot be read."

export const make = Effect.gen(function* () {
  const actors = yield* RequestActors
  const steady = yield* SteadyTime
  const payloads = yield* Payload.Payloads
  const store = yield* MediaStore
  const copy = yield* MediaCopies.make

  const streamOf = (id: RequestId) => StreamName.make(InferenceRequest.aggregate.category, id)

  /** Files of ours that no event names, from a run whose result was not awaited. */
  const removeFiles = (request: Request, media: ReadonlyArray<StoredMedia>) =>
    Effect.forEach(
      Erasing.filesOf({ ...request, media }),
      (fileId) =>
        Effect.catch(store.remove(FileId.make(fileId), "discarded"), (error) =>
          Effect.logWarning("An unneeded file could not be removed", error)
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
    const moved = copies.filter(({ stored: { path }, url }) => JsonPointer.at(output, path) !== url)
    const result = JsonText.replaceScalars(
      output,
      new Map(moved.map(({ stored: { path }, url }) => [path, url]))
    )
    const sealed =
      result === output
        ? null
        : yield* payloads.seal({ owner, stream: streamOf(id), name: "result", text: JsonText.write(result) })
    const command = {
      _tag: "RecordMedia",
      at: yield* steady.now,
      attempt: request.attempt,
      media,
      result: sealed === null ? null : Payload.refOf(sealed)
    } as const
    // Seals once, even if the log refuses the append several times: each seal would leave an unreferenced blob.
    const { events, state } = yield* untilStored(
      "The files of an output are not recorded yet",
      actors.execute(id, command, sealed === null ? [] : [sealed])
    )
    if (events.some(({ _tag }) => _tag === "MediaStored")) return
    // An earlier append, which seemed to fail, has recorded it.
    if (sealed !== null && state._tag === "Request" && state.output?.ref.hash === sealed.hash) return
    // Cancelled or failed meanwhile, or another node was first: the recorded files count.
    if (sealed !== null) yield* payloads.discard([sealed])
    if (state._tag === "Request" && state.media.length === 0) yield* removeFiles(request, media)
  })

  const refuse = Effect.fnUntraced(function* (id: RequestId, request: Request, message: string) {
    const at = yield* steady.now
    const command = { _tag: "RefuseMedia", at, attempt: request.attempt, message } as const
    const { state } = yield* actors.execute(id, command)
    if (state._tag === "Request" && state.media.length === 0) yield* removeFiles(request, [])
  })

  /** A few more tries at the host, not for hours, because the request waits. */
  const postponeFile = Effect.fnUntraced(function* (
    id: RequestId,
    request: Request,
    error: RemoteUnavailable
  ) {
    const { message, reason, status } = error
    if (reason === "storage") return yield* postpone(id, request, error)
    yield* Effect.annotateLogs(Effect.logWarning("A file of an output cannot be fetched from its host"), {
      reason,
      ...(status !== undefined && { status })
    })
    const at = yield* steady.now
    const { attempt } = request
    const command = { _tag: "PostponeMedia", at, attempt, message } as const
    const { events, state } = yield* actors.execute(id, command)
    const hasEnded = events.some(({ _tag }) => _tag !== "SweepRetried")
    if (hasEnded && state._tag === "Request") yield* removeFiles(request, [])
  })

  const countRetry = Effect.fnUntraced(function* (id: RequestId, { attempt }: Request) {
    const at = yield* steady.now
    yield* actors.execute(id, { _tag: "SweepRetry", at, attempt, reason: "media_missing" })
  })

  const postpone = (id: RequestId, request: Request, error: Error) =>
    Effect.andThen(
      Effect.logWarning("The files of an output cannot be stored for now", error),
      countRetry(id, request)
    )

  /** It may fail the same way each time, so the retry has to count. */
  const postponeDefect = (id: RequestId, request: Request, defect: unknown) =>
    Effect.andThen(
      Effect.logError("The files of an output were not stored; the sweep tries again", defect),
      countRetry(id, request)
    )

  const copyAll = Effect.fnUntraced(function* (id: RequestId, request: Request, raw: PayloadRef) {
    const maker = {
      accountId: request.submitted.accountId,
      requestId: id,
      submittedAt: WallTime.dateOf(request.submitted)
    }
    const output = JsonText.parse(yield* payloads.open(streamOf(id), "output", raw))
    const copies = yield* Effect.forEach(
      request.plannedMedia,
      (plan, index) => copy({ maker, plan, index, source: JsonPointer.at(output, plan.path) }),
      { concurrency }
    )
    yield* settle(id, request, copies, output)
  })

  /** No effect on a request that does not wait for its files. */
  return Effect.fn("Finalization.finalize")(function* (id: RequestId) {
    const { state } = yield* actors.current(id)
    if (state._tag === "NotSubmitted" || nextAction(state)._tag !== "Finalize") return
    if (state.rawOutput === null) return yield* refuse(id, state, unreadable)
    yield* copyAll(id, state, state.rawOutput).pipe(
      Effect.timeoutOrElse({
        duration: timeLimit,
        orElse: () => Effect.fail(new RemoteUnavailable({ reason: "unreachable" }))
      }),
      Effect.catchTags({
        RemoteRefused: ({ message }) => refuse(id, state, message),
        PayloadUnavailable: () => refuse(id, state, unreadable),
        RemoteUnavailable: (error) => postponeFile(id, state, error),
        BlobStoreError: (error) => postpone(id, state, error)
      }),
      Effect.catchDefect((defect) => postponeDefect(id, state, defect))
    )
  })
})
