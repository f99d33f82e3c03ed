/** Says of each failure at the target that it happened there: the blob store of the log fails with the same error. */
import { Effect, Schema, Stream } from "effect"
import { BlobStoreError } from "#streams/BlobStore.ts"
import type { BackupTarget } from "./BackupTarget.ts"

/** The target cannot be used for the moment. */
export class TargetFault extends Schema.TaggedError<TargetFault>()("TargetFault", {
  reason: Schema.String,
  isFull: Schema.Boolean,
  cause: Schema.Defect()
}) {
  override get message(): string {
    const unchanged = this.isFull ? ". The backup there is unchanged: make room and repeat" : ""
    return `TARGET: ${this.reason}${unchanged}`
  }
}

const marked = (error: BlobStoreError): BlobStoreError => {
  const { isFull = false, reason } = error
  const cause = new TargetFault({ reason, isFull, cause: error })
  return new BlobStoreError({ reason, isFull, cause })
}

/** The fault of an error at the target; other errors stay. */
export const unwrap = <E>(error: E): E | TargetFault =>
  error instanceof BlobStoreError && error.cause instanceof TargetFault ? error.cause : error

type Pieces = BackupTarget["pieces"]

const put =
  (pieces: Pieces): Pieces["put"] =>
  (key, body) => {
    // An error of the body that is written is not the target's.
    let isFromSource = false
    const watched =
      body instanceof Uint8Array
        ? body
        : Stream.tapError(body, () =>
            Effect.sync(() => {
              isFromSource = true
            })
          )
    return Effect.mapError(pieces.put(key, watched), (error) => (isFromSource ? error : marked(error)))
  }

export const mark = (target: BackupTarget): BackupTarget => {
  const { pieces, readManifest, writeManifest } = target
  return {
    ...target,
    pieces: {
      put: put(pieces),
      get: (key, range) =>
        pieces.get(key, range).pipe(
          Effect.map((blob) => blob && { ...blob, body: Stream.mapError(blob.body, marked) }),
          Effect.mapError(marked)
        ),
      size: (key) => Effect.mapError(pieces.size(key), marked),
      remove: (key) => Effect.mapError(pieces.remove(key), marked),
      list: (folder) => Stream.mapError(pieces.list(folder), marked)
    },
    readManifest: Effect.mapError(readManifest, marked),
    writeManifest: (text, revision) =>
      Effect.mapError(writeManifest(text, revision), (error) =>
        error._tag === "BlobStoreError" ? marked(error) : error
      )
  }
}
