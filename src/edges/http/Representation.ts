/** A resource with the same bytes for every client: strong entity tag, compressed once, 304 for a client that has it. */
import * as crypto from "node:crypto"
import * as util from "node:util"
import * as zlib from "node:zlib"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as EntityTag from "./requests/EntityTag.ts"

export interface Representation {
  readonly contentType: string
  readonly bytes: Uint8Array
  readonly gzipped: Uint8Array
  /** SHA-256 of the bytes, in hex. */
  readonly digest: string
}

const gzip = util.promisify(zlib.gzip)

/** Compresses in another thread. */
export const make = (options: { readonly contentType: string; readonly text: string }) =>
  ofBytes({ contentType: options.contentType, bytes: Buffer.from(options.text) })

/** The same of bytes. */
export const ofBytes = Effect.fnUntraced(function* (options: {
  readonly contentType: string
  readonly bytes: Uint8Array
}) {
  const { bytes } = options
  return {
    contentType: options.contentType,
    bytes,
    gzipped: yield* Effect.promise(() => gzip(bytes)),
    digest: crypto.hash("sha256", bytes)
  }
})

/** Whether the client accepts gzip (RFC 9110, 12.5.3). Without the header it gets plain bytes. */
const takesGzip = (acceptEncoding = ""): boolean =>
  acceptEncoding.split(",").some((coding) => /^\s*gzip\s*(;\s*q=(1|0?\.0*[1-9])[\d.]*\s*)?$/i.test(coding))

/** The answer to a GET or HEAD. */
export const respond = (
  { bytes, contentType, digest, gzipped }: Representation,
  request: HttpServerRequest,
  headers: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse => {
  const isGzipped = takesGzip(request.headers["accept-encoding"])
  const etag = EntityTag.make(digest.slice(0, 32), isGzipped ? "gzip" : "identity")
  const shared = { ...headers, etag, vary: "accept-encoding" }
  const known = request.headers["if-none-match"]
  if (known !== undefined && EntityTag.isMatch(known, etag)) {
    return HttpServerResponse.empty({ status: 304, headers: shared })
  }
  return isGzipped
    ? HttpServerResponse.uint8Array(gzipped, {
        contentType,
        headers: { ...shared, "content-encoding": "gzip" }
      })
    : HttpServerResponse.uint8Array(bytes, { contentType, headers: shared })
}
