/** `PUT /media/{id}/{fileName}`: the bytes of a file, or of a part of one, at a presigned URL (contract, "Uploads"). */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { type Put, Reception } from "#src/features/media/storage/Reception.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ContinueOnRead from "#src/edges/http/edge/ContinueOnRead.ts"
import * as FileErrorAnswers from "#src/edges/http/FileErrorAnswers.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { issue } from "#src/edges/http/requests/Parsed.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { bytes, described, optional, params } from "./MediaRoute.ts"

/** Describes the bytes of the body. */
export const withBytes = (operation: Record<string, unknown>): Record<string, unknown> => ({
  ...operation,
  requestBody: { required: true, content: bytes }
})

const endpoint = HttpApiEndpoint.put("putFile", "/media/:mediaId/:fileName", {
  params,
  query: {
    expires: optional("Unix time in seconds. The query must be unchanged."),
    signature: optional("The credential."),
    uploadId: optional("Of an upload in parts."),
    partNumber: optional("Of an upload in parts.")
  },
  headers: {
    "content-md5": optional("Digest of the body, in base64. A body with another digest is refused.")
  },
  success: HttpApiSchema.WithHeaders(
    HttpApiSchema.Empty(200).annotate({ description: "The bytes are stored." }),
    { etag: described("The MD5 of the bytes, in quotes.") }
  ),
  error: [
    CommonResponses.badRequest,
    CommonResponses.forbidden,
    CommonResponses.notFound,
    CommonResponses.timeout,
    CommonResponses.conflict,
    CommonResponses.gone,
    CommonResponses.lengthRequired,
    CommonResponses.tooLarge,
    CommonResponses.unsupported,
    CommonResponses.unexpected,
    CommonResponses.unavailable,
    CommonResponses.storageFull
  ]
})
  .annotate(OpenApi.Summary, "Upload the bytes of a file or part")
  .annotate(
    OpenApi.Description,
    "To an upload URL, with the declared `Content-Type`. The URL contains its own credential; `Authorization` is ignored. If files are stored at S3, upload URLs lead there instead."
  )
  .annotate(OpenApi.Transform, withBytes)

const lengthOf = (headers: RequestHeaders): number | undefined => {
  const length = headers["content-length"]
  return length === undefined ? undefined : Number(length)
}

/** A PUT without a length may mean an empty file or a lost body, so it is refused. */
const hasBody = (headers: RequestHeaders): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined

/** A partial PUT must not replace the whole (RFC 9110, 14.5). */
const partial = ErrorAnswer.invalid([
  issue(["Content-Range"], "invalid", "must not be given: the body of a PUT is all there is")
])

const errorAnswerOf = (headers: RequestHeaders): ErrorAnswer.ErrorAnswer | null => {
  // The file would be served without this encoding.
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity")
    return ErrorAnswer.unsupportedEncoding
  if (!hasBody(headers)) return FileErrorAnswers.lengthRequired
  return headers["content-range"] === undefined ? null : partial
}

/** What the call sends, apart from its address. A body is not read. */
export const putOf = (
  request: HttpServerRequest
): Effect.Effect<Omit<Put, "id" | "query">, ErrorAnswer.ErrorAnswer> => {
  const { headers } = request
  const errorAnswer = errorAnswerOf(headers)
  if (errorAnswer !== null) return Effect.fail(errorAnswer)
  const body = NodeHttpServerRequest.toIncomingMessage(request)
  ContinueOnRead.install(body, NodeHttpServerRequest.toServerResponse(request))
  return Effect.succeed({
    contentType: headers["content-type"],
    contentLength: lengthOf(headers),
    contentMd5: headers["content-md5"],
    body
  })
}

export const receiveFile = Route.make(endpoint, Reception, function* (reception, { params, query, request }) {
  const put = yield* putOf(request)
  const etag = yield* reception.receive({ ...put, id: params.mediaId, query })
  return Answer.empty(200, { etag: `"${etag}"`, "cache-control": "no-store", "content-length": "0" })
})
