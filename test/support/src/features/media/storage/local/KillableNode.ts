/** A node in a separate process that takes commands over IPC and can be killed at any moment. */
import { Clock, Effect, Layer, Stream } from "effect"
import type { Array } from "effect"
import type { Stored } from "#domain/file/Event.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import * as FileKeys from "#src/features/media/storage/FileKeys.ts"
import * as PartsBlob from "#src/features/media/storage/local/PartsBlob.ts"
import type { UploadedPart } from "#src/platform/blobs/Part.ts"
import { type UploadTarget, UploadStore } from "#src/features/media/storage/UploadStore.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as LocalNode from "./LocalNode.ts"
import * as Puts from "./Puts.ts"

export type Order =
  | { readonly _tag: "Announce"; readonly uploadId?: string }
  | {
      readonly _tag: "PartUrl"
      readonly target: UploadTarget
      readonly uploadId: string
      readonly number: number
    }
  | {
      readonly _tag: "Complete"
      readonly target: UploadTarget
      readonly uploadId: string
      readonly parts: Array.NonEmptyReadonlyArray<UploadedPart>
    }
  | { readonly _tag: "Look"; readonly target: UploadTarget }

/** What the log names, and the SHA-256 of the readable bytes: `null` for both before there are any. */
export interface Look {
  readonly stored: Stored | null
  readonly sha256: string | null
}

const look = Effect.fnUntraced(function* ({ id }: UploadTarget) {
  const { state } = yield* (yield* FileActors).refresh(id)
  if (state._tag !== "Present") return { stored: null, sha256: null }
  const { stored } = state
  const blobs = yield* BlobStore
  const blob = yield* stored.isInParts === true
    ? PartsBlob.open(blobs, { id, etag: stored.etag })
    : blobs.get(FileKeys.whole(id))
  const bytes = yield* Stream.mkUint8Array(blob?.body ?? Stream.empty)
  return { stored, sha256: Puts.sha256(bytes) }
})

const obey = Effect.fnUntraced(function* (order: Order) {
  switch (order._tag) {
    case "Announce": {
      const { uploadId } = order
      const target = yield* Puts.announce(uploadId === undefined ? {} : { uploadId })
      return { target, url: yield* Puts.urlOf(target) }
    }
    case "PartUrl":
      return yield* Puts.partUrlOf(order.target, order.uploadId, order.number)
    case "Complete": {
      const { id } = order.target
      const stored = yield* (yield* UploadStore).assemble(id, order.uploadId, order.parts)
      const at = yield* Clock.currentTimeMillis
      yield* (yield* FileActors).execute(id, {
        _tag: "CompleteUpload",
        at,
        stored,
        expiresAt: at + 1_000_000
      })
      return stored
    }
    case "Look":
      return yield* look(order.target)
  }
})

const [directory = ""] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const port = yield* LocalNode.serve
  const runPromise = Effect.runPromiseWith(yield* Effect.context<LocalNode.Node>())
  process.on("message", (order: Order) => {
    void runPromise(obey(order)).then((answer) => process.send?.({ answer }))
  })
  process.send?.({ answer: port })
  return yield* Effect.never
})

if (process.send !== undefined)
  Effect.runFork(
    program.pipe(
      Effect.scoped,
      Effect.provide(
        LocalNode.onLog({ directory }).pipe(Layer.provideMerge(SqliteEventStore.layer(directory)))
      )
    )
  )
