/** Stored files under unguessable URLs: outputs of runs, and what clients upload. */
import { Context, DateTime, Effect, Layer, type Option, Semaphore, Stream } from "effect"
import * as crypto from "node:crypto"
import type { RequestId } from "#domain/Ids.ts"
import { PublicUrls } from "#src/PublicUrls.ts"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import * as MediaRecord from "./MediaRecord.ts"
import { MediaGone } from "./MediaRecord.ts"
import * as MediaType from "./MediaType.ts"
import * as MediaUrl from "./MediaUrl.ts"

export interface Media extends MediaRecord.Present {
  readonly id: MediaUrl.MediaId
  /** Public, and the only credential. */
  readonly url: string
  /** Strong, with its quotes (RFC 9110, section 8.8.3). */
  readonly etag: string
  /** Value of `Content-Disposition`; `inline` only for what no browser executes. */
  readonly disposition: string
}

export interface OpenMedia {
  readonly media: Media
  readonly body: Stream.Stream<Uint8Array, BlobStoreError>
}

export interface NewMedia {
  /**
   * Chosen beforehand, with `MediaUrl.makeId`, so that whoever is cut off may write again: what was there is replaced.
   * A fresh one when not given.
   */
  readonly id?: MediaUrl.MediaId
  /** The request that made the file. */
  readonly requestId?: RequestId
  readonly fileName: string
  readonly contentType: string
  readonly body: Stream.Stream<Uint8Array, BlobStoreError> | Uint8Array
}

/** Files whose records are changed at once. */
const turns = 64

const bytesKey = (id: MediaUrl.MediaId): string => `${MediaUrl.root}/${id}`

export class MediaStore extends Context.Service<
  MediaStore,
  {
    /**
     * Durable, and readable on every node that shares the blob store, when it returns. Name and type are cleaned. A
     * fresh file that fails leaves nothing. Other bytes under an id that is in use may be read under the old tag until
     * this returns. Fails for the id of a removed file: that stays removed.
     */
    put(file: NewMedia): Effect.Effect<Media, BlobStoreError>
    /** `null` when there never was such a file. */
    find(id: MediaUrl.MediaId): Effect.Effect<Media | null, MediaGone | BlobStoreError>
    /** The bytes, or those of `range` that exist: first byte and number of bytes. `null` as `find`. */
    open(
      id: MediaUrl.MediaId,
      range?: { readonly start: number; readonly length: number }
    ): Effect.Effect<OpenMedia | null, MediaGone | BlobStoreError>
    /**
     * The bytes are gone when it returns; to be repeated until it does. Of a file that was never there, or only half, it
     * leaves the same mark: who still wants to put it under an id that was planned comes too late.
     */
    remove(id: MediaUrl.MediaId): Effect.Effect<void, BlobStoreError>
    /** The id in a URL of this service; `None` for every other text. It says nothing of whether the file is there. */
    parseOwnUrl(url: string): Option.Option<MediaUrl.MediaId>
  }
>()("inferlog/src/media/MediaStore") {
  static readonly layer = Layer.effect(
    MediaStore,
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      const { mediaUrl } = yield* PublicUrls

      const mediaOf = (id: MediaUrl.MediaId, record: MediaRecord.Present): Media => ({
        ...record,
        id,
        url: MediaUrl.format(mediaUrl, id, record.fileName),
        etag: `"${record.sha256}"`,
        disposition: MediaType.disposition(record.contentType, record.fileName)
      })

      const semaphores = yield* Effect.replicateEffect(Semaphore.make(1), turns)

      /** One at a time for one file. */
      const inTurn = <A, E>(id: MediaUrl.MediaId, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        semaphores[id.charCodeAt(0) % turns]?.withPermit(effect) ?? effect

      /** Bytes that no record speaks of. */
      const removeUnrecorded = Effect.fnUntraced(function* (id: MediaUrl.MediaId) {
        const record = yield* MediaRecord.read(blobs, id)
        if (record === null || MediaRecord.isTombstone(record)) yield* blobs.remove(bytesKey(id))
      })

      const requireNotRemoved = Effect.fnUntraced(function* (id: MediaUrl.MediaId) {
        const record = yield* MediaRecord.read(blobs, id)
        if (record === null || !MediaRecord.isTombstone(record)) return
        return yield* new BlobStoreError({ reason: "the file of this id was removed" })
      })

      /** First the bytes: without a record they are not there for any reader. */
      const write = Effect.fnUntraced(function* (id: MediaUrl.MediaId, file: NewMedia) {
        const digest = crypto.createHash("sha256")
        const body = file.body instanceof Uint8Array ? Stream.succeed(file.body) : file.body
        const hashed = Stream.tap(body, (chunk) => Effect.sync(() => digest.update(chunk)))
        const size = yield* blobs.put(bytesKey(id), hashed)
        const record: MediaRecord.Present = {
          fileName: MediaType.cleanFileName(file.fileName),
          contentType: MediaType.clean(file.contentType),
          size,
          sha256: digest.digest("hex"),
          ...(file.requestId !== undefined && { requestId: file.requestId })
        }
        const writeRecord = MediaRecord.write(blobs, id, record)
        // A planned id may have been removed while its bytes came in.
        yield* file.id === undefined
          ? writeRecord
          : inTurn(id, Effect.andThen(requireNotRemoved(id), writeRecord))
        return mediaOf(id, record)
      })

      const put: MediaStore["Service"]["put"] = Effect.fn("MediaStore.put")(function* (file) {
        if (file.id !== undefined) yield* requireNotRemoved(file.id)
        const id = file.id ?? MediaUrl.makeId()
        return yield* write(id, file).pipe(Effect.onError(() => Effect.ignore(removeUnrecorded(id))))
      })

      const find: MediaStore["Service"]["find"] = Effect.fn("MediaStore.find")(function* (id) {
        const record = yield* MediaRecord.read(blobs, id)
        if (record === null) return null
        if (MediaRecord.isTombstone(record)) return yield* new MediaGone()
        return mediaOf(id, record)
      })

      const open: MediaStore["Service"]["open"] = Effect.fn("MediaStore.open")(function* (id, range) {
        const media = yield* find(id)
        if (media === null) return null
        const blob = yield* blobs.get(bytesKey(id), range)
        if (blob !== null) return { media, body: blob.body }
        // Removed since the record was read.
        yield* find(id)
        return null
      })

      const markRemoved = Effect.fnUntraced(function* (id: MediaUrl.MediaId) {
        const record = yield* MediaRecord.read(blobs, id)
        if (record !== null && MediaRecord.isTombstone(record)) return
        yield* MediaRecord.write(blobs, id, { removedAt: DateTime.formatIso(yield* DateTime.now) })
      })

      /**
       * First the tombstone, at once and whole in place of the record: from then on nobody gets a byte. A crash before
       * it leaves the file as it was, one after it bytes that nobody can read, which the repeat removes.
       */
      const remove: MediaStore["Service"]["remove"] = Effect.fn("MediaStore.remove")(function* (id) {
        yield* inTurn(id, markRemoved(id))
        yield* blobs.remove(bytesKey(id))
      })

      return MediaStore.of({
        put,
        find,
        open,
        remove,
        parseOwnUrl: (url) => MediaUrl.parse(mediaUrl, url)
      })
    })
  )
}
