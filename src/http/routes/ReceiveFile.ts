/** `PUT /media/{id}/{fileName}`: the bytes of a file, or of a part of one, at a presigned URL (contract, "Uploads"). */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { Reception } from "#src/files/Reception.ts"
import * as Answer from "../Answer.ts"
import * as ContinueOnRead from "../edge/ContinueOnRead.ts"
import * as Refusal from "../Refusal.ts"
import type { RequestHeaders } from "../requests/RequestHeaders.ts"

export interface ReceiveFileCall {
  readonly request: HttpServerRequest
  readonly params: { readonly mediaId: string }
  readonly query: Readonly<Record<string, string | undefined>>
}

const lengthOf = (headers: RequestHeaders): number | undefined => {
  const length = headers["content-length"]
  return length === undefined ? undefined : Number(length)
}

export const make = Effect.gen(function* () {
  const reception = yield* Reception

  return Effect.fnUntraced(function* ({ params, query, request }: ReceiveFileCall) {
    const { headers } = request
    // It would be served without.
    if ((headers["content-encoding"] ?? "identity") !== "identity") return yield* Refusal.unsupportedEncoding
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
