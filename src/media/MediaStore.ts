/** Stored files under unguessable URLs: outputs of runs, and what clients upload. */
import { Context, Effect, Layer, type Option, Schema, Stream } from "effect"
import * as crypto from "node:crypto"
import { PublicUrls } from "#src/PublicUrls.ts"
import { BlobStore, type BlobStoreError } from "#streams/BlobStore.ts"
import * as MediaType from "./MediaType.ts"
import * as MediaUrl from "./MediaUrl.ts"

/** Kept beside the bytes. Field names are the storage format: add optional ones, never rename. */
const Record = Schema.Struct({
  fileName: Schema.String,
  contentType: Schema.String,
  /** Bytes. */
  size: Schema.Int,
  /** Hex. */
  sha256: Schema.String
})

export interface Media extends Schema.Schema.Type<typeof Record> {
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

const RecordText = Schema.fromJsonString(Record)
const encodeRecord = Schema.encodeSync(RecordText)
const decodeRecord = Schema.decodeEffect(RecordText)

const bytesKey = (id: MediaUrl.MediaId): string => `${MediaUrl.root}/${id}`
const recordKey = (id: MediaUrl.MediaId): string => `${MediaUrl.root}/${id}.json`

export class MediaStore extends Context.Service<
  MediaStore,
  {
    /** Durable, and readable on every node that shares the blob store, when it returns. Name and type are cleaned. */
    put(file: {
      readonly fileName: string
      readonly contentType: string
      readonly body: Stream.Stream<Uint8Array, BlobStoreError> | Uint8Array
    }): Effect.Effect<Media, BlobStoreError>
    /** `null` when there is no such file (any more). */
    find(id: MediaUrl.MediaId): Effect.Effect<Media | null, BlobStoreError>
    /** The bytes, or those of `range` that exist: first byte and number of bytes. `null` as `find`. */
    open(
      id: MediaUrl.MediaId,
      range?: { readonly start: number; readonly length: number }
    ): Effect.Effect<OpenMedia | null, BlobStoreError>
    /** Nothing happens when there is no such file. */
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

      const mediaOf = (id: MediaUrl.MediaId, record: typeof Record.Type): Media => ({
        ...record,
        id,
        url: MediaUrl.format(mediaUrl, id, record.fileName),
        etag: `"${record.sha256}"`,
        disposition: MediaType.disposition(record.contentType, record.fileName)
      })

      /** First the record, without which the bytes are not there for any reader. */
      const remove = Effect.fn("MediaStore.remove")(function* (id: MediaUrl.MediaId) {
        yield* blobs.remove(recordKey(id))
        yield* blobs.remove(bytesKey(id))
      })

      const write = Effect.fnUntraced(function* (
        id: MediaUrl.MediaId,
        file: Parameters<MediaStore["Service"]["put"]>[0]
      ) {
        const digest = crypto.createHash("sha256")
        const body = file.body instanceof Uint8Array ? Stream.succeed(file.body) : file.body
        const hashed = Stream.tap(body, (chunk) => Effect.sync(() => digest.update(chunk)))
        const size = yield* blobs.put(bytesKey(id), hashed)
        const record = {
          fileName: MediaType.cleanFileName(file.fileName),
          contentType: MediaType.clean(file.contentType),
          size,
          sha256: digest.digest("hex")
        }
        yield* blobs.put(recordKey(id), Buffer.from(encodeRecord(record)))
        return mediaOf(id, record)
      })

      const put: MediaStore["Service"]["put"] = Effect.fn("MediaStore.put")((file) =>
        Effect.suspend(() => {
          const id = MediaUrl.makeId()
          return write(id, file).pipe(Effect.onError(() => Effect.ignore(remove(id))))
        })
      )

      const find = Effect.fn("MediaStore.find")(function* (id: MediaUrl.MediaId) {
        const blob = yield* blobs.get(recordKey(id))
        if (blob === null) return null
        const text = yield* Stream.mkString(Stream.decodeText(blob.body))
        return mediaOf(id, yield* Effect.orDie(decodeRecord(text)))
      })

      const open: MediaStore["Service"]["open"] = Effect.fn("MediaStore.open")(function* (id, range) {
        const media = yield* find(id)
        if (media === null) return null
        const blob = yield* blobs.get(bytesKey(id), range)
        return blob === null ? null : { media, body: blob.body }
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
