/** `PUT /media/{id}/{fileName}`: the bytes of a file, or of a part of one, at a presigned URL (contract, "Uploads"). */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { Reception } from "#src/features/media/storage/Reception.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ContinueOnRead from "#src/edges/http/edge/ContinueOnRead.ts"
import * as FileRefusals from "#src/edges/http/FileRefusals.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import { issue } from "#src/edges/http/requests/Parsed.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"

export interface ReceiveFileCall {
  readonly request: HttpServerRequest
  readonly params: { readonly mediaId: string }
  readonly query: Readonly<Record<string, string | undefined>>
}

const lengthOf = (headers: RequestHeaders): number | undefined => {
  const length = headers["content-length"]
  return length === undefined ? undefined : Number(length)
}

/** What a PUT that says nothing of a body leaves open: a file of no bytes, or a client that lost them. */
const hasBody = (headers: RequestHeaders): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined

/** RFC 9110, 14.5: a part of a resource is not to be taken for all of it. */
const partial = Refusal.invalid([
  issue(["Content-Range"], "invalid", "must not be given: the body of a PUT is all there is")
])

const refusalOf = (headers: RequestHeaders): Refusal.Refusal | null => {
  // It would be served without.
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity")
    return Refusal.unsupportedEncoding
  if (!hasBody(headers)) return FileRefusals.lengthRequired
  return headers["content-range"] === undefined ? null : partial
}

export const make = Effect.gen(function* () {
  const reception = yield* Reception

  return Effect.fnUntraced(function* ({ params, query, request }: ReceiveFileCall) {
    const { headers } = request
    const refusal = refusalOf(headers)
    if (refusal !== null) return yield* refusal
    const body = NodeHttpServerRequest.toIncomingMessage(request)
    ContinueOnRead.install(body, NodeHttpServerRequest.toServerResponse(request))
    const etag = yield* reception.receive({
      id: params.mediaId,
      query,
      contentType: headers["content-type"],
      contentLength: lengthOf(headers),
      contentMd5: headers["content-md5"],
      body
    })
    return Answer.empty(200, { etag: `"${etag}"`, "cache-control": "no-store", "content-length": "0" })
  })
})
