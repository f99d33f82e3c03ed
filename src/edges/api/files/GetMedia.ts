/** `GET /media/{id}/{fileName}`: stored bytes, or one range of them, or where they lie. */
import type { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Schema, Stream } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { FileId } from "#domain/Ids.ts"
import { releaseConsumed } from "#src/platform/blobs/ReleaseConsumed.ts"
import { ContentTypeMismatch } from "#src/features/media/storage/Reception.ts"
import { MediaDelivery } from "#src/features/media/storage/MediaDelivery.ts"
import type { Media, MediaGone, OpenMedia } from "#src/features/media/Media.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import type { StorageError } from "#src/features/requests/Requests.ts"
import * as ClientAddress from "#src/edges/http/edge/ClientAddress.ts"
import * as SlowReaders from "#src/edges/http/edge/SlowReaders.ts"
import * as FileErrorAnswers from "#src/edges/http/FileErrorAnswers.ts"
import * as ReaderErrorAnswers from "#src/edges/http/ReaderErrorAnswers.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as ByteRange from "./ByteRange.ts"
import * as EntityTag from "#src/edges/http/requests/EntityTag.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { anyQuery, TakesQuery } from "#src/edges/http/api/RouteAnnotations.ts"
import { bytes, described, optional, params } from "./MediaRoute.ts"

const representation = {
  etag: described("Strong: different bytes have a different tag."),
  "accept-ranges": Schema.Literal("bytes"),
  "cache-control": described("Some minutes, only in the client."),
  "content-disposition": described("`inline` for images, audio and video only."),
  "content-security-policy": described("Browsers run nothing in the bytes.")
}

const contentRange = {
  schema: { type: "string", description: "The range, and the size of the file." },
  required: true
}

/** An endpoint can declare one stream of one type, so the answers with bytes are described by hand. */
const withContent = (operation: Record<string, unknown>): Record<string, unknown> => {
  const responses = Object(operation["responses"])
  const { headers } = Object(responses[200])
  return {
    ...operation,
    responses: {
      ...responses,
      200: { description: "All bytes.", headers, content: bytes },
      206: {
        description: "The requested range.",
        headers: { ...headers, "content-range": contentRange },
        content: bytes
      },
      304: { ...responses[304], headers }
    }
  }
}

const endpoint = HttpApiEndpoint.get("getFile", "/media/:mediaId/:fileName", {
  params,
  headers: {
    range: optional("One range of bytes."),
    "if-range": optional("`ETag` that the range belongs to."),
    "if-match": optional("`ETag` that the bytes must have."),
    "if-none-match": optional("`ETag` of the last answer.")
  },
  success: [
    HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array(), representation),
    CommonResponses.notModified,
    HttpApiSchema.WithHeaders(
      HttpApiSchema.Empty(302).annotate({ description: "The address of the bytes." }),
      { location: described("Good for some minutes.") }
    )
  ],
  error: [
    CommonResponses.notFound,
    CommonResponses.gone,
    CommonResponses.preconditionFailed,
    CommonResponses.rangeNotSatisfiable,
    CommonResponses.unexpected,
    CommonResponses.unavailable
  ]
})
  // Web pages add queries to the URLs of files to get past caches.
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Summary, "Bytes of a stored file")
  .annotate(
    OpenApi.Description,
    "Needs no key. HEAD is supported. 404 until the bytes have arrived, 410 when the file was deleted or has expired."
  )
  .annotate(OpenApi.Transform, withContent)

const isFileId = Schema.is(FileId)

/** A browser runs nothing in the bytes, whatever they are. */
const contentSecurityPolicy = "default-src 'none'; sandbox"

/** The bytes do not change but may be deleted: the client caches them for minutes, proxies not at all. */
const cacheControl = "private, max-age=300"

const headersOf = (media: Media) => ({
  etag: media.etag,
  "accept-ranges": "bytes",
  "cache-control": cacheControl,
  "content-disposition": media.disposition,
  "content-security-policy": contentSecurityPolicy
})

const isKnown = (headers: RequestHeaders, media: Media): boolean => {
  const known = headers["if-none-match"]
  return known !== undefined && EntityTag.isMatch(known, media.etag)
}

/** Checked before anything else (RFC 9110, 13.2.2). */
const isOther = (headers: RequestHeaders, media: Media): boolean => {
  const wanted = headers["if-match"]
  return wanted !== undefined && !EntityTag.isStrongMatch(wanted, media.etag)
}

/** `If-Range` with anything but the current tag, a date included, selects the whole (RFC 9110, 13.1.5). */
const rangeOf = (headers: RequestHeaders, media: Media): ByteRange.ByteRange => {
  const condition = headers["if-range"]
  const isCurrent = condition === undefined || condition === media.etag
  return ByteRange.parse(isCurrent ? headers["range"] : undefined, media.size)
}

/** An answer to HEAD: the headers announce a body that is not sent. */
const head = (media: Media) =>
  HttpServerResponse.empty({
    status: 200,
    headers: {
      ...headersOf(media),
      "content-type": media.contentType,
      "content-length": String(media.size)
    }
  })

const whole = (media: Media, body: OpenMedia["body"]) =>
  HttpServerResponse.stream(body, {
    contentType: media.contentType,
    contentLength: media.size,
    headers: headersOf(media)
  })

const partOf = (
  media: Media,
  body: OpenMedia["body"],
  { length, start }: { readonly length: number; readonly start: number }
) =>
  HttpServerResponse.stream(body, {
    status: 206,
    contentType: media.contentType,
    contentLength: length,
    headers: {
      ...headersOf(media),
      "content-range": `bytes ${start}-${start + length - 1}/${media.size}`
    }
  })

/** The store handles conditions and ranges itself. Its URL is valid for some minutes. */
const redirect = (location: string) =>
  HttpServerResponse.empty({
    status: 302,
    headers: { location, "cache-control": "no-store", "content-length": "0" }
  })

type Failure = MediaGone | StorageError | ErrorAnswer.ErrorAnswer

const make = Effect.gen(function* () {
  const store = yield* MediaStore
  const delivery = yield* MediaDelivery
  const readers = yield* SlowReaders.SlowReaders
  const addressOf = yield* ClientAddress.make

  /** Runs before the bytes are opened, so that readers of one file do not block others. */
  const admit = (media: Media, bytes: number, request: HttpServerRequest) =>
    Effect.suspend(() => {
      // The server speaks HTTP/1 alone.
      const full = readers.admit(NodeHttpServerRequest.toServerResponse(request) as ServerResponse, {
        bytes: Math.min(bytes, SlowReaders.window),
        accountId: null,
        address: () => addressOf(request),
        file: media.id
      })
      return full === null ? Effect.void : Effect.fail(ReaderErrorAnswers.of(full))
    })

  const stream = Effect.fnUntraced(function* (
    media: Media,
    request: HttpServerRequest
  ): Effect.fn.Return<HttpServerResponse.HttpServerResponse, Failure> {
    const { headers, method } = request
    if (isOther(headers, media)) return yield* FileErrorAnswers.preconditionFailed
    if (isKnown(headers, media)) {
      return HttpServerResponse.empty({ status: 304, headers: headersOf(media) })
    }
    if (method === "HEAD") return head(media)
    const range = rangeOf(headers, media)
    if (range._tag === "Unsatisfiable") return yield* FileErrorAnswers.rangeNotSatisfiable(media.size)
    const part = range._tag === "Part" ? range : undefined
    yield* admit(media, part?.length ?? media.size, request)
    const opened = yield* store.open(media.id, part)
    if (opened === null) return yield* ErrorAnswer.unknownFile
    if (opened.media.etag === media.etag) {
      const body = releaseConsumed(opened.body)
      return part === undefined ? whole(media, body) : partOf(media, body, part)
    }
    // The file was replaced since it was found, so conditions are checked again. Reading the first bytes closes the stream.
    yield* Effect.ignore(Stream.runHead(opened.body))
    return yield* stream(opened.media, request)
  })

  const serve = Effect.fnUntraced(function* (mediaId: string, request: HttpServerRequest) {
    const media = isFileId(mediaId) ? yield* store.locate(mediaId) : null
    if (media === null) return yield* ErrorAnswer.unknownFile
    if (media instanceof ContentTypeMismatch) return yield* FileErrorAnswers.arrivedAsOther(media)
    const method = request.method === "HEAD" ? "HEAD" : "GET"
    const location = media.isWhole ? yield* delivery.urlOf({ ...media, method }) : null
    return location === null ? yield* stream(media, request) : redirect(location)
  })

  return (mediaId: string, request: HttpServerRequest) =>
    Effect.catchTag(serve(mediaId, request), "MediaGone", () => Effect.fail(FileErrorAnswers.fileGone))
})

export const getMedia = Route.prepared(
  endpoint,
  Effect.map(
    make,
    (serve) =>
      ({ params, request }: Route.Call<typeof endpoint>) =>
        serve(params.mediaId, request)
  )
)
