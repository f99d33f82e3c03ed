/** Requests with payloads and files, and everything that reads them. */
import { Effect, Layer, Result } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import * as Money from "#domain/Money.ts"
import { inlineLimit, type PayloadRef } from "#domain/PayloadRef.ts"
import * as RequestFacts from "#src/edges/admin/requests/RequestFacts.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import type { Request } from "#domain/inference-request/State.ts"
import { Requests, type Snapshot } from "#src/features/requests/Requests.ts"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as Payload from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as MediaServices from "#test/support/MediaServices.ts"

export const secret = "jane.doe@example.com"
/** Too large for the log. */
export const large = { value: secret.repeat(inlineLimit / 10) }
export const small = { value: secret }

export const streamOf = (id: RequestId) => StreamName.make(InferenceRequest.aggregate.category, id)

/** Completed with the input, an output of the same size, and one file of its own. */
export const completed = Effect.fnUntraced(function* (input: { readonly value: string }, account?: string) {
  const actors = yield* RequestActors
  const media = yield* MediaStore
  const payloads = yield* Payload.Payloads
  const id = yield* Facts.submit({ input, ...(account !== undefined && { account }) })
  yield* Lifecycle.start(id)
  const { state } = yield* actors.current(id)
  if (state._tag !== "Request") return yield* Effect.die("no request")
  const output = yield* payloads.seal({
    owner: state.submitted.accountId,
    stream: streamOf(id),
    name: "output",
    text: JSON.stringify({ value: `${input.value} out` })
  })
  const [fileId, thumbnailId] = [MediaUrl.makeId(), MediaUrl.makeId()]
  const at = state.submitted.at + 1_500
  const succeeded = {
    _tag: "Succeeded",
    output: {
      ref: Payload.refOf(output),
      violations: [],
      media: [{ path: "/value", fileId, thumbnailId }]
    },
    delivered: Money.units(1)
  } as const
  yield* actors.execute(id, { _tag: "RecordOutcome", at, attempt: 1, startedAt: null, outcome: succeeded }, [
    output
  ])
  const file = {
    ...MediaServices.made,
    fileName: "a.txt",
    contentType: "text/plain",
    body: Buffer.from(secret)
  }
  yield* media.put({ ...file, id: fileId })
  yield* media.put({ ...file, id: thumbnailId })
  yield* actors.execute(id, {
    _tag: "RecordMedia",
    at,
    attempt: 1,
    media: [
      {
        path: "/value",
        fileId,
        fileName: "a.txt",
        contentType: "text/plain",
        size: secret.length,
        thumbnailId,
        owned: true
      }
    ],
    result: null
  })
  return { id, fileId, thumbnailId }
})

/** Completed without a file. */
export const completedWithoutFile = Effect.fnUntraced(function* (account?: string) {
  const id = yield* Facts.submit({ input: small, ...(account !== undefined && { account }) })
  yield* Lifecycle.start(id)
  yield* Lifecycle.deliver(id, small)
  return id
})

/** Everything that any reader returns for the request, as one text. `before`: a snapshot that may be old. */
export const readable = Effect.fnUntraced(function* (id: RequestId, before: Snapshot<Request>) {
  const requests = yield* Requests
  const payloads = yield* Payload.Payloads
  const reader = yield* EventReader
  const show = yield* RequestFacts.make
  const { request } = before
  const refs: ReadonlyArray<readonly [string, PayloadRef | null]> = [
    ["input", request.submitted.payloads.input],
    ["output", request.rawOutput]
  ]
  const found: Array<unknown> = [
    yield* requests.payloads(before),
    yield* requests.payloads(yield* Facts.snapshot(id, before.request.submitted.accountId)),
    (yield* show({ requestId: id, withPayloads: true })).payloads
  ]
  for (const [name, ref] of refs) {
    if (ref === null) continue
    const opened = yield* Effect.result(payloads.open(streamOf(id), name, ref))
    found.push(Result.isSuccess(opened) ? opened.success : null, yield* reader.payload(streamOf(id), name))
  }
  return JSON.stringify(found)
})

/** The blobs of the layer below. The next `removals` removals fail. */
export const failingBlobs = () => {
  let left = 0
  const layer = Layer.effect(
    BlobStore,
    Effect.map(BlobStore, (blobs) =>
      BlobStore.of({
        ...blobs,
        remove: (key) =>
          Effect.suspend(() =>
            left-- > 0 ? Effect.fail(new BlobStoreError({ reason: "unplugged" })) : blobs.remove(key)
          )
      })
    )
  )
  return { layer, fail: (removals: number) => Effect.sync(() => void (left = removals)) }
}
