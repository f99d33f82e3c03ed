/**
 * Stores a part of a file. No event records it: the files in the folder are what has arrived. A repeated part replaces
 * earlier ones, which stay until the file is made, because a file may be made of them right now.
 */
import { Clock, Effect } from "effect"
import type { FileId } from "#domain/Ids.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import type { FileBlobs } from "#streams/FileBlobs.ts"
import { AlreadyUploaded, FileGone } from "../FileErrors.ts"
import { FileActors } from "../FileActors.ts"
import * as FileKeys from "../FileKeys.ts"
import { HashThreads } from "./HashThreads.ts"
import * as Incoming from "./Incoming.ts"
import type { IncomingBody } from "./KeepWhole.ts"
import * as PartNames from "./PartNames.ts"
import type { UploadedPart } from "#src/platform/blobs/Part.ts"

const bytesOf = (parts: ReadonlyArray<UploadedPart>): number => parts.reduce((sum, { size }) => sum + size, 0)

export const make = Effect.fnUntraced(function* (files: FileBlobs["Service"]) {
  const actors = yield* FileActors
  const blobs = yield* BlobStore
  const threads = yield* HashThreads

  const keyOf = (id: FileId, name: string) => `${FileKeys.partsFolder(id)}/${name}`

  /** Whether it may be used for the file, which may be gone or complete by now. */
  const check = Effect.fnUntraced(function* (id: FileId) {
    const { state } = yield* actors.refresh(id)
    if (state._tag === "Pending") return
    return yield* state._tag === "Present" ? new AlreadyUploaded() : new FileGone()
  })

  /** The same bytes again are the existing part, because a file may be made of it right now. */
  const publish = Effect.fnUntraced(function* (id: FileId, path: string, part: UploadedPart) {
    const prefix = PartNames.prefixOf(part.partNumber)
    const names = (yield* files.names(FileKeys.partsFolder(id))).filter((name) => name.startsWith(prefix))
    const last = PartNames.newest(names).at(-1)
    const isThere = last?.etag === part.etag && last.size === part.size
    const now = yield* Clock.currentTimeMillis
    // Later than the existing part, even if another node's clock is ahead.
    const name = isThere ? last.name : PartNames.make(part, Math.max(now, (last?.at ?? 0) + 1))
    const isNew = yield* files.publish(path, keyOf(id, name))
    yield* check(id).pipe(
      // The other parts may already be removed. A part that arrives after the file is made may belong to it.
      Effect.tapErrorTag("FileGone", () =>
        isNew ? Effect.ignore(blobs.remove(keyOf(id, name))) : Effect.void
      )
    )
  })

  /** Bytes so far: those that would be in the file, and all that are stored until the file is made. */
  const bytesBeside = (id: FileId, partNumber: number) =>
    Effect.map(files.names(FileKeys.partsFolder(id)), (names) => ({
      inFile: bytesOf(PartNames.newest(names).filter((part) => part.partNumber !== partNumber)),
      kept: bytesOf(names.flatMap((name) => PartNames.parse(name) ?? []))
    }))

  /** Returns the ETag. */
  const keep = Effect.fnUntraced(function* <E, R>(options: {
    readonly id: FileId
    readonly partNumber: number
    readonly incoming: IncomingBody
    readonly whenReceived: (bytes: number) => Effect.Effect<void, E, R>
  }) {
    const { id, incoming, partNumber, whenReceived } = options
    const path = files.newPath()
    const { md5, size } = yield* Incoming.receive(threads, { ...incoming, path, isSha256Wanted: false })
    yield* whenReceived(size)
    yield* Effect.uninterruptible(publish(id, path, { partNumber, size, etag: md5 }))
    return md5
  }, Effect.scoped)

  return { keep, bytesBeside }
})
