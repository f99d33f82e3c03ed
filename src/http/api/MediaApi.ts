/** Stored files under unguessable URLs (contract, "Uploads": the canonical file URL). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as CommonResponses from "./CommonResponses.ts"
import { ServedOn } from "./RouteAnnotations.ts"

const described = (description: string) => Schema.String.annotate({ description })
const optional = (description: string) => Schema.optionalKey(described(description))

const representation = {
  etag: described("Strong: the SHA-256 of the bytes."),
  "accept-ranges": Schema.Literal("bytes"),
  "content-disposition": described("`inline` for images, audio and video only.")
}

/** An endpoint declares one stream at most: the partial one is described by hand. */
const withPartialContent = (operation: Record<string, unknown>): Record<string, unknown> => ({
  ...operation,
  responses: {
    ...Object(operation["responses"]),
    206: {
      description: "The range that was asked for.",
      headers: { "content-range": { schema: { type: "string" }, required: true } },
      content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } }
    }
  }
})

const file = HttpApiEndpoint.get("file", "/media/:mediaId/:fileName", {
  params: {
    mediaId: described("24 characters; the only credential."),
    fileName: described("For the reader; any name leads to the file.")
  },
  headers: {
    range: optional("One range of bytes."),
    "if-range": optional("`ETag` that the range belongs to."),
    "if-none-match": optional("`ETag` of the last answer.")
  },
  success: [
    HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array(), representation),
    CommonResponses.notModified
  ],
  error: [
    CommonResponses.notFound,
    CommonResponses.gone,
    CommonResponses.rangeNotSatisfiable,
    CommonResponses.unexpected,
    CommonResponses.unavailable
  ]
}).annotateMerge(
  OpenApi.annotations({
    identifier: "getFile",
    summary: "Bytes of a stored file",
    description: "No key is needed. HEAD is answered, too.",
    transform: withPartialContent
  })
)

export class MediaApi extends HttpApiGroup.make("media")
  .add(file)
  .annotate(ServedOn, ["media"])
  .annotateMerge(OpenApi.annotations({ title: "Media", description: "Files, by their canonical URLs." })) {}
