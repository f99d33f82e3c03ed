/** Stored files under unguessable URLs (contract, "Uploads": the canonical file URL). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import { anyQuery, ServedOn, TakesQuery } from "#src/edges/http/api/RouteAnnotations.ts"

const described = (description: string) => Schema.String.annotate({ description })
const optional = (description: string) => Schema.optionalKey(described(description))

const representation = {
  etag: described("Strong: other bytes have another one."),
  "accept-ranges": Schema.Literal("bytes"),
  "cache-control": described("Some minutes, in the client alone."),
  "content-disposition": described("`inline` for images, audio and video only."),
  "content-security-policy": described("Nothing in the bytes is run.")
}

const binary = { schema: { type: "string", format: "binary" } }

/** Of whatever type was declared. */
const bytes = { "*/*": binary }

const contentRange = {
  schema: { type: "string", description: "Which bytes, and of how many." },
  required: true
}

/** An endpoint declares one stream at most, and of one type: the answers with bytes are described by hand. */
const withContent = (operation: Record<string, unknown>): Record<string, unknown> => {
  const responses = Object(operation["responses"])
  const { headers } = Object(responses[200])
  return {
    ...operation,
    responses: {
      ...responses,
      200: { description: "All bytes.", headers, content: bytes },
      206: {
        description: "The range that was asked for.",
        headers: { ...headers, "content-range": contentRange },
        content: bytes
      },
      304: { ...responses[304], headers }
    }
  }
}

const withBytes = (operation: Record<string, unknown>): Record<string, unknown> => ({
  ...operation,
  requestBody: { required: true, content: bytes }
})

const params = {
  mediaId: described("24 characters; the only credential."),
  fileName: described("For the reader; any name leads to the file.")
}

const file = HttpApiEndpoint.get("file", "/media/:mediaId/:fileName", {
  params,
  headers: {
    range: optional("One range of bytes."),
    "if-range": optional("`ETag` that the range belongs to."),
    "if-match": optional("`ETag` that the bytes are to have."),
    "if-none-match": optional("`ETag` of the last answer.")
  },
  success: [
    HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array(), representation),
    CommonResponses.notModified,
    HttpApiSchema.WithHeaders(
      HttpApiSchema.Empty(302).annotate({ description: "The bytes lie elsewhere." }),
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
  // Web pages add queries to the URLs of files, against caches.
  .annotate(TakesQuery, anyQuery)
  .annotateMerge(
    OpenApi.annotations({
      identifier: "getFile",
      summary: "Bytes of a stored file",
      description:
        "No key is needed. HEAD is answered, too. 404 until the bytes have come, 410 once the file is deleted or has expired.",
      transform: withContent
    })
  )

const receive = HttpApiEndpoint.put("receiveFile", "/media/:mediaId/:fileName", {
  params,
  query: {
    expires: optional("As given out, like all of the query: Unix time in seconds."),
    signature: optional("The credential."),
    uploadId: optional("Of an upload in parts."),
    partNumber: optional("Of an upload in parts.")
  },
  headers: { "content-md5": optional("Of the body, in base64: other bytes are refused.") },
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
}).annotateMerge(
  OpenApi.annotations({
    identifier: "putFile",
    summary: "Bring the bytes of a file or part",
    description:
      "To a URL that was given out for that, with the declared `Content-Type`. It carries its own credential: `Authorization` is not looked at. Where files lie at S3, such URLs lead there instead.",
    transform: withBytes
  })
)

export class MediaApi extends HttpApiGroup.make("media")
  .add(file, receive)
  .annotate(ServedOn, ["media"])
  .annotateMerge(OpenApi.annotations({ title: "Media", description: "Files, by their canonical URLs." })) {}
