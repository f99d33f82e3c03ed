/**
 * Stored files under unguessable URLs: outputs of runs, and what clients upload. What is there the log says (`File`); the
 * bytes lie in the blob store, before the log speaks of them.
 */
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

/** Where the bytes of a new file go. */
interface Destination {
  readonly id: FileId
  /** Whether the id was chosen beforehand. */
  readonly isPlanned: boolean
}

type StorageError = BlobStoreError | EventStoreError

const removed = new BlobStoreError({ reason: "the file of this id was removed" })

export class MediaStore extends Context.Service<
  MediaStore,
  {
    /**
     * Durable, and readable on every node that shares the log and the blob store, when it returns. Name and type are
     * cleaned. A fresh file that fails leaves nothing. Other bytes under an id that is in use may be read under the old
     * tag until this returns. Fails for the id of a removed file: that stays removed.
     */
    put(file: NewMedia): Effect.Effect<Media, StorageError>
    /** `null` when there never was such a file, or its bytes have not come. */
    find(id: FileId): Effect.Effect<Media | null, MediaGone | StorageError>
    /** The bytes, or those of `range` that exist. `null` as `find`. */
    open(id: FileId, range?: Range): Effect.Effect<OpenMedia | null, MediaGone | StorageError>
    /**
     * The bytes are gone when it returns; to be repeated until it does. Of a file that was never there, or only half, it
     * leaves the same mark: who still wants to put it under an id that was planned comes too late.
     */
    remove(id: FileId, reason: DeletionReason): Effect.Effect<void, StorageError>
    /**
     * Does what is left of it for a file that was removed, or whose time is over, and looks for one that a client brings to
     * the store without us. Tells whether it has removed anything.
     */
    sweep(id: FileId): Effect.Effect<boolean, StorageError>
    /** The id in a URL of this service; `None` for every other text. It says nothing of whether the file is there. */
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

      /** What a client has brought to the store without us. */
      const observe = Effect.fnUntraced(function* (id: FileId, state: State) {
        if (!uploads.isDirect || state._tag === "Gone" || announcedAt(state) === null) return state
        const stored = yield* uploads.look(id)
        if (stored === null) return state
        const at = yield* Clock.currentTimeMillis
        const observed = actors.execute(id, { _tag: "ObserveUpload", at, stored, expiresAt: at + keptMs })
        return yield* observed.pipe(
          Effect.map(({ state }) => state),
          Effect.catchTag(["FileNotFound", "FileGone", "AlreadyUploaded"], () =>
            Effect.map(actors.refresh(id), ({ state }) => state)
          )
        )
      })

      /** What is not there for all that is known may have come by another node, or without any. */
      const current = Effect.fnUntraced(function* (id: FileId) {
        const known = yield* actors.current(id)
        if (known.state._tag === "Present") return known.state
        const { state } = yield* actors.refresh(id)
        return state._tag === "Pending" ? yield* observe(id, state) : state
      })

      const present = Effect.fnUntraced(function* (id: FileId) {
        const state = yield* current(id)
        if (state._tag === "Gone" || isOver(state, yield* Clock.currentTimeMillis))
          return yield* new MediaGone()
        return state._tag === "Present" ? state : null
      })

      const find: MediaStore["Service"]["find"] = Effect.fn("MediaStore.find")(function* (id) {
        const state = yield* present(id)
        return state === null ? null : yield* mediaOf(id, state)
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
        if (state === null) return null
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

      /**
       * Bytes that no event speaks of. Those under an id that was planned stay: another node may be about to record them, and
       * whoever planned it repeats the put, or removes what nobody needs.
       */
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
        // A planned one may have been removed, by another node too.
        if (destination.isPlanned && (yield* actors.refresh(destination.id)).state._tag === "Gone")
          return yield* removed
        const written = write(destination, file)
        return yield* Effect.onError(written, () => Effect.ignore(removeUnrecorded(destination)))
      })

      /** The name goes with the commit; its text may be in memory still. */
      const end = Effect.fnUntraced(function* (
        id: FileId,
        command: Extract<Command, { readonly _tag: "Delete" | "Expire" }>
      ) {
        const before = yield* actors.current(id)
        const { state } = yield* Effect.catchTag(actors.execute(id, command), rejections, Effect.die)
        if (state._tag === "Gone") yield* FileNames.forget(payloads, id, before.state)
        return state
      })

      /** Whether the client may still bring bytes to the store, however often they are removed. */
      const isOpen = (state: State, at: number): boolean => {
        const announced = announcedAt(state)
        return uploads.isDirect && announced !== null && at < announced + Duration.toMillis(putWindow)
      }

      const settle = Effect.fnUntraced(function* (id: FileId, state: State) {
        if (state._tag !== "Gone") return
        yield* uploads.remove(id, state.uploadId)
        const at = yield* Clock.currentTimeMillis
        // The sweep comes again when its URL is no good any more.
        if (isOpen(state, at)) return
        yield* Effect.catchTag(actors.execute(id, { _tag: "RecordRemoved", at }), rejections, Effect.die)
      })

      /**
       * First the event: from then on nobody gets a byte. A crash before it leaves the file as it was, one after it bytes
       * that nobody can read, which the repeat removes: that of whoever erases the request, or else the sweep's.
       */
      const remove: MediaStore["Service"]["remove"] = Effect.fn("MediaStore.remove")(function* (id, reason) {
        const state = yield* end(id, { _tag: "Delete", at: yield* Clock.currentTimeMillis, reason })
        const isRepeatedElsewhere = reason === "request_erased" || reason === "discarded"
        if (!isRepeatedElsewhere) return yield* settle(id, state)
        yield* uploads.remove(id, state._tag === "Gone" ? state.uploadId : null)
      })

      const sweep: MediaStore["Service"]["sweep"] = Effect.fn("MediaStore.sweep")(function* (id) {
        yield* observe(id, (yield* actors.refresh(id)).state)
        const state = yield* end(id, { _tag: "Expire", at: yield* Clock.currentTimeMillis })
        if (state._tag !== "Gone" || state.isRemoved) return false
        if (isOpen(state, yield* Clock.currentTimeMillis)) return false
        yield* settle(id, state)
        return true
      })

      return MediaStore.of({
        put,
        find,
        open,
        remove,
        sweep,
        parseOwnUrl: (url) => MediaUrl.parse(mediaUrl, url)
      })
    })
  )
}

/** None of the commands here can lead to one. */
const rejections = ["FileNotFound", "FileGone", "AlreadyUploaded"] as const
