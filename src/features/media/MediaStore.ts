/** Stored files under unguessable URLs. The log says what exists (`File`), after the blob store has the bytes. */
import * as crypto from "node:crypto"
import { Clock, Context, Duration, Effect, Layer, type Option, Stream } from "effect"
import type { Command } from "#domain/file/Command.ts"
import type { DeletionReason, Stored } from "#domain/file/Event.ts"
import { isOver } from "#domain/file/File.ts"
import { announcedAt, type Present, requestOf, type State } from "#domain/file/State.ts"
import type { FileId } from "#domain/Ids.ts"
import { FileActors } from "./storage/FileActors.ts"
import * as FileKeys from "./storage/FileKeys.ts"
import { putWindow } from "./storage/FileLimits.ts"
import * as FileNames from "./storage/FileNames.ts"
import * as PartsBlob from "./storage/local/PartsBlob.ts"
import * as DeclaredType from "./storage/DeclaredType.ts"
import type { ContentTypeMismatch } from "./storage/Reception.ts"
import { UploadStore } from "./storage/UploadStore.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { retentionMs } from "#src/kernel/settings/RetentionTime.ts"
import { type Blob, BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { Payloads } from "#streams/Payload.ts"
import { type Media, MediaGone, type NewMedia, type OpenMedia } from "./Media.ts"
import * as MediaType from "./MediaType.ts"
import * as MediaUrl from "./MediaUrl.ts"

/** First byte and number of bytes. */
type Range = { readonly start: number; readonly length: number }

interface Destination {
  readonly id: FileId
  /** Whether the id was chosen in advance. */
  readonly isPlanned: boolean
}

type StorageError = BlobStoreError | EventStoreError

const removed = new BlobStoreError({ reason: "the file of this id was removed" })

export class MediaStore extends Context.Service<
  MediaStore,
  {
    /**
     * Durable when it returns, and readable on every node with the same log and blob store. Cleans name and type. A new
     * file that fails leaves nothing. Other bytes under an id in use may be read under the old tag until this returns.
     * Fails for the id of a removed file.
     */
    put(file: NewMedia): Effect.Effect<Media, StorageError>
    /** `null` if the file never existed or its bytes have not arrived. */
    find(id: FileId): Effect.Effect<Media | null, MediaGone | StorageError>
    /** As `find`, with the reason why bytes that a client sent to the store directly do not count as arrived. */
    locate(id: FileId): Effect.Effect<Media | ContentTypeMismatch | null, MediaGone | StorageError>
    /** The bytes, or the existing part of `range`. `null` as for `find`. */
    open(id: FileId, range?: Range): Effect.Effect<OpenMedia | null, MediaGone | StorageError>
    /** The bytes are gone when it returns; repeat until it succeeds. A later write under a planned id fails. */
    remove(id: FileId, reason: DeletionReason): Effect.Effect<void, StorageError>
    /** Finishes a removal or expiry, or looks for a file sent to the store directly. Returns whether it removed one. */
    sweep(id: FileId): Effect.Effect<boolean, StorageError>
    /** The id in a URL of this service, whether or not the file exists; `None` for other texts. */
    parseOwnUrl(url: string): Option.Option<FileId>
  }
>()("inferlog/src/features/media/MediaStore") {
  static readonly layer = Layer.effect(
    MediaStore,
    Effect.gen(function* () {
      const actors = yield* FileActors
      const blobs = yield* BlobStore
      const uploads = yield* UploadStore
      const payloads = yield* Payloads
      const { mediaUrl } = yield* PublicUrls
      const keptMs = yield* retentionMs

      const mediaOf = Effect.fnUntraced(function* (id: FileId, present: Present) {
        const { origin, stored } = present
        const requestId = requestOf(present)
        const fileName = yield* FileNames.of(payloads, id, origin)
        return {
          id,
          accountId: origin.accountId,
          requestId,
          fileName,
          contentType: origin.contentType,
          size: stored.size,
          url: (requestId === null ? MediaUrl.formatUpload : MediaUrl.format)(mediaUrl, id, fileName),
          etag: `"${stored.etag}"`,
          disposition: MediaType.disposition(origin.contentType, fileName),
          sha256: stored.sha256,
          expiresAt: present.expiresAt,
          isWhole: stored.isInParts !== true
        } satisfies Media
      })

      /**
       * A file that a client sent to the store directly. The type is compared once, when the file is found. All types are safe,
       * because the file is served with the declared one.
       */
      const observe = Effect.fnUntraced(function* (id: FileId, state: State) {
        if (!uploads.isDirect || state._tag === "Gone" || announcedAt(state) === null) return state
        const arrived = yield* uploads.look(id)
        if (arrived === null) return state
        const mismatch =
          state._tag === "Pending"
            ? DeclaredType.mismatchOf(arrived.contentType, state.upload.contentType)
            : null
        if (mismatch !== null) return mismatch
        const { stored } = arrived
        const at = yield* Clock.currentTimeMillis
        const observed = actors.execute(id, { _tag: "ObserveUpload", at, stored, expiresAt: at + keptMs })
        return yield* observed.pipe(
          Effect.map(({ state }) => state),
          Effect.catchTag(["FileNotFound", "FileGone", "AlreadyUploaded"], () =>
            Effect.map(actors.refresh(id), ({ state }) => state)
          )
        )
      })

      /** An unknown file may have been stored by another node, or by a client directly. */
      const current = Effect.fnUntraced(function* (id: FileId) {
        const known = yield* actors.current(id)
        if (known.state._tag === "Present") return known.state
        const { state } = yield* actors.refresh(id)
        return state._tag === "Pending" ? yield* observe(id, state) : state
      })

      const present = Effect.fnUntraced(function* (id: FileId) {
        const state = yield* current(id)
        if (state._tag === "ContentTypeMismatch") return state
        if (state._tag === "Gone" || isOver(state, yield* Clock.currentTimeMillis))
          return yield* new MediaGone()
        return state._tag === "Present" ? state : null
      })

      const locate: MediaStore["Service"]["locate"] = Effect.fn("MediaStore.locate")(function* (id) {
        const state = yield* present(id)
        return state?._tag === "Present" ? yield* mediaOf(id, state) : state
      })

      const find: MediaStore["Service"]["find"] = Effect.fn("MediaStore.find")(function* (id) {
        const state = yield* present(id)
        return state?._tag === "Present" ? yield* mediaOf(id, state) : null
      })

      const bytesOf = (id: FileId, { etag, isInParts }: Stored, range: Range | undefined) =>
        isInParts === true ? PartsBlob.open(blobs, { id, etag }, range) : blobs.get(FileKeys.whole(id), range)

      const isOther = (blob: Blob, state: Present): boolean =>
        blob.etag !== undefined &&
        uploads.isDirect &&
        announcedAt(state) !== null &&
        blob.etag !== state.stored.etag

      const open: MediaStore["Service"]["open"] = Effect.fn("MediaStore.open")(function* (id, range) {
        const state = yield* present(id)
        if (state?._tag !== "Present") return null
        const blob = yield* bytesOf(id, state.stored, range)
        if (blob === null) {
          // Removed since it was looked up.
          yield* actors.refresh(id)
          return yield* Effect.as(find(id), null)
        }
        if (!isOther(blob, state)) return { media: yield* mediaOf(id, state), body: blob.body }
        yield* observe(id, state)
        const found = yield* find(id)
        return found === null ? null : { media: found, body: blob.body }
      })

      /** Removes bytes that no event names, except under a planned id, which a writer may be about to record. */
      const removeUnrecorded = Effect.fnUntraced(function* ({ id, isPlanned }: Destination) {
        const { state } = yield* actors.refresh(id)
        const isUnknown = state._tag === "Gone" || (state._tag === "None" && !isPlanned)
        if (isUnknown) yield* blobs.remove(FileKeys.whole(id))
      })

      const write = Effect.fnUntraced(function* (
        { id, isPlanned }: Destination,
        { maker, ...file }: NewMedia
      ) {
        const digest = crypto.createHash("sha256")
        const body = file.body instanceof Uint8Array ? Stream.succeed(file.body) : file.body
        const hashed = Stream.tap(body, (chunk) => Effect.sync(() => digest.update(chunk)))
        const size = yield* blobs.put(FileKeys.whole(id), hashed)
        const sha256 = digest.digest("hex")
        const output = {
          at: yield* Clock.currentTimeMillis,
          accountId: maker.accountId,
          requestId: maker.requestId,
          kind: file.kind,
          fileName: MediaType.cleanFileName(file.fileName),
          contentType: MediaType.clean(file.contentType),
          stored: { size, etag: sha256, sha256 },
          expiresAt: maker.submittedAt + keptMs
        }
        const begin = isPlanned ? actors.execute : actors.create
        const { state } = yield* begin(id, { _tag: "StoreOutput", output }).pipe(
          Effect.catchTag("FileGone", () => removed),
          Effect.catchTag(["FileNotFound", "AlreadyUploaded"], Effect.die)
        )
        return state._tag === "Present" ? yield* mediaOf(id, state) : yield* removed
      })

      const put: MediaStore["Service"]["put"] = Effect.fn("MediaStore.put")(function* (file) {
        const destination = { id: file.id ?? MediaUrl.makeId(), isPlanned: file.id !== undefined }
        // A planned file may have been removed, also by another node.
        if (destination.isPlanned && (yield* actors.refresh(destination.id)).state._tag === "Gone")
          return yield* removed
        const written = write(destination, file)
        return yield* Effect.onError(written, () => Effect.ignore(removeUnrecorded(destination)))
      })

      /** The name is erased with the commit; its text may still be in memory. */
      const end = Effect.fnUntraced(function* (
        id: FileId,
        command: Extract<Command, { readonly _tag: "Delete" | "Expire" }>
      ) {
        const before = yield* actors.current(id)
        const { state } = yield* Effect.catchTag(actors.execute(id, command), rejections, Effect.die)
        if (state._tag === "Gone") yield* FileNames.forget(payloads, id, before.state)
        return state
      })

      /** Whether the client can still send bytes to the store after a removal. */
      const isOpen = (state: State, at: number): boolean => {
        const announced = announcedAt(state)
        return uploads.isDirect && announced !== null && at < announced + Duration.toMillis(putWindow)
      }

      const settle = Effect.fnUntraced(function* (id: FileId, state: State) {
        if (state._tag !== "Gone") return
        yield* uploads.remove(id, state.uploadId)
        const at = yield* Clock.currentTimeMillis
        // The sweep repeats this when its URL has expired.
        if (isOpen(state, at)) return
        yield* Effect.catchTag(actors.execute(id, { _tag: "RecordRemoved", at }), rejections, Effect.die)
      })

      /** The event makes the bytes unreadable. After a crash a repeated erasure or the sweep removes them. */
      const remove: MediaStore["Service"]["remove"] = Effect.fn("MediaStore.remove")(function* (id, reason) {
        const state = yield* end(id, { _tag: "Delete", at: yield* Clock.currentTimeMillis, reason })
        const isRepeatedElsewhere = reason === "request_erased" || reason === "discarded"
        if (!isRepeatedElsewhere) return yield* settle(id, state)
        yield* uploads.remove(id, state._tag === "Gone" ? state.uploadId : null)
      })

      const sweep: MediaStore["Service"]["sweep"] = Effect.fn("MediaStore.sweep")(function* (id) {
        const before = (yield* actors.refresh(id)).state
        const observed = yield* observe(id, before)
        // Bytes of another type are no file, so no quota counts them.
        const isRefused = observed._tag === "ContentTypeMismatch"
        if (isRefused && !isOpen(before, yield* Clock.currentTimeMillis)) yield* uploads.remove(id, null)
        const state = yield* end(id, { _tag: "Expire", at: yield* Clock.currentTimeMillis })
        if (state._tag !== "Gone" || state.isRemoved) return false
        if (isOpen(state, yield* Clock.currentTimeMillis)) return false
        yield* settle(id, state)
        return true
      })

      return MediaStore.of({
        put,
        find,
        locate,
        open,
        remove,
        sweep,
        parseOwnUrl: (url) => MediaUrl.parse(mediaUrl, url)
      })
    })
  )
}

/** None of these commands can be rejected so. */
const rejections = ["FileNotFound", "FileGone", "AlreadyUploaded"] as const
