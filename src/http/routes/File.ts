/** `GET /media/{id}/{fileName}`: stored bytes, or one range of them. */
import { FileId } from "#domain/Ids.ts"
import { Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { type Media, MediaStore } from "#src/media/MediaStore.ts"
import * as Refusal from "../Refusal.ts"
import * as ByteRange from "../requests/ByteRange.ts"
import * as EntityTag from "../requests/EntityTag.ts"
import type { RequestHeaders } from "../requests/RequestHeaders.ts"

const notFound = Refusal.notFound("File")

const rangeNotSatisfiable = (size: number): Refusal.Refusal =>
  new Refusal.Refusal({
    status: 416,
    error: "No byte of the range exists.",
    headers: { "content-range": `bytes */${size}` }
  })

const isMediaId = Schema.is(FileId)

/** Whatever the bytes are, a browser that shows them runs nothing of them. */
const contentSecurityPolicy = "default-src 'none'; sandbox"

const headersOf = (media: Media) => ({
  etag: media.etag,
  "accept-ranges": "bytes",
  "cache-control": "private, max-age=300",
  "content-disposition": media.disposition,
  "content-security-policy": contentSecurityPolicy
})

/** `If-Range` with anything but the current tag asks for the whole. */
const rangeOf = (headers: RequestHeaders, media: Media): ByteRange.ByteRange => {
  const condition = headers["if-range"]
  const isCurrent = condition === undefined || condition === media.etag
  return ByteRange.parse(isCurrent ? headers["range"] : undefined, media.size)
}

export const make = Effect.gen(function* () {
  const store = yield* MediaStore

  const serve = Effect.fnUntraced(function* (mediaId: string, request: HttpServerRequest) {
    const media = isMediaId(mediaId) ? yield* store.find(mediaId) : null
    if (media === null) return yield* notFound
    const headers = headersOf(media)
    const known = request.headers["if-none-match"]
    if (known !== undefined && EntityTag.isMatch(known, media.etag)) {
      return HttpServerResponse.empty({ status: 304, headers })
    }
    const range = request.method === "HEAD" ? ({ _tag: "Whole" } as const) : rangeOf(request.headers, media)
    if (range._tag === "Unsatisfiable") return yield* rangeNotSatisfiable(media.size)
    const part = range._tag === "Part" ? range : undefined
    const opened = yield* store.open(media.id, part)
    if (opened === null) return yield* notFound
    return HttpServerResponse.stream(opened.body, {
      status: part === undefined ? 200 : 206,
      contentType: media.contentType,
      contentLength: part?.length ?? media.size,
      headers:
        part === undefined
          ? headers
          : {
              ...headers,
              "content-range": `bytes ${part.start}-${part.start + part.length - 1}/${media.size}`
            }
    })
  })

  return (mediaId: string, request: HttpServerRequest) =>
    Effect.catchTag(serve(mediaId, request), "MediaGone", () => Effect.fail(Refusal.fileGone))
})
