/**
 * Stores a file that arrives in one piece. The bytes are in place before the event that names them and are never
 * replaced: of several writers on any nodes, the first to link its file wins. The others record the bytes that they
 * find, because the first may have died before it could, and compare them with their own.
 */
import { Clock, Effect } from "effect"
import type { Stored } from "#domain/file/Event.ts"
import type { FileId } from "#domain/Ids.ts"
import { retentionMs } from "#src/kernel/settings/RetentionTime.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import type { FileBlobs } from "#streams/FileBlobs.ts"
import { AlreadyUploaded, FileGone, FileNotFound } from "../FileErrors.ts"
import { FileActors } from "../FileActors.ts"
import * as FileKeys from "../FileKeys.ts"
import { hashFile } from "./HashFile.ts"
import { HashThreads } from "./HashThreads.ts"
import * as Incoming from "./Incoming.ts"

export type IncomingBody = Omit<Incoming.IncomingBody, "path" | "isSha256Wanted">

export const make = Effect.fnUntraced(function* (files: FileBlobs["Service"]) {
  const actors = yield* FileActors
  const blobs = yield* BlobStore
  const threads = yield* HashThreads
  const keptMs = yield* retentionMs

  const receive = (incoming: IncomingBody, isSha256Wanted: boolean, path: string) =>
    Incoming.receive(threads, { ...incoming, path, isSha256Wanted })

  /** The bytes of a deleted file may have been removed before these arrived. */
  const removeIfGone = Effect.fnUntraced(function* (id: FileId) {
    const { state } = yield* actors.refresh(id)
    if (state._tag === "Gone") yield* blobs.remove(FileKeys.whole(id))
  })

  const record = Effect.fnUntraced(function* (id: FileId, stored: Stored) {
    const at = yield* Clock.currentTimeMillis
    yield* actors.execute(id, { _tag: "CompleteUpload", at, stored, expiresAt: at + keptMs }).pipe(
      Effect.catchTag("FileNotFound", () => new FileNotFound()),
      Effect.catchTag("AlreadyUploaded", () => new AlreadyUploaded()),
      Effect.catchTag("FileGone", () => new FileGone()),
      Effect.onError(() => Effect.ignore(removeIfGone(id)))
    )
  })

  /** The bytes of another writer. */
  const found = Effect.fnUntraced(function* (id: FileId) {
    const { state } = yield* actors.refresh(id)
    if (state._tag === "Present") return state.stored
    if (state._tag === "Gone") return yield* new FileGone()
    return yield* Effect.scoped(hashFile(threads, yield* files.pathOf(FileKeys.whole(id))))
  })

  const settle = (id: FileId, path: string, own: Stored) =>
    Effect.uninterruptibleMask(
      Effect.fnUntraced(function* (restore) {
        const isFirst = yield* files.publish(path, FileKeys.whole(id))
        const stored = isFirst ? own : yield* restore(found(id))
        yield* record(id, stored)
        return isSame(own, stored) ? stored.etag : yield* new AlreadyUploaded()
      })
    )

  /** Returns the ETag. */
  const first = Effect.fnUntraced(function* <E, R>(options: {
    readonly id: FileId
    readonly incoming: IncomingBody
    readonly whenReceived: (bytes: number) => Effect.Effect<void, E, R>
  }) {
    const { id, incoming, whenReceived } = options
    const path = files.newPath()
    const { md5, sha256, size } = yield* receive(incoming, true, path)
    yield* whenReceived(size)
    return yield* settle(id, path, { size, etag: md5, sha256 })
  }, Effect.scoped)

  /** For a repeated PUT: the ETag if the bytes are the same. */
  const compare = Effect.fnUntraced(function* (options: {
    readonly stored: Stored
    readonly incoming: IncomingBody
  }) {
    const { incoming, stored } = options
    if (incoming.size !== undefined && incoming.size !== stored.size) return yield* new AlreadyUploaded()
    const { md5, size } = yield* receive({ ...incoming, limit: stored.size }, false, files.newPath()).pipe(
      Effect.catchTag("FileTooLarge", () => new AlreadyUploaded())
    )
    return md5 === stored.etag && size === stored.size ? md5 : yield* new AlreadyUploaded()
  }, Effect.scoped)

  return { first, compare }
})

const isSame = (a: Stored, b: Stored): boolean => a.etag === b.etag && a.size === b.size
