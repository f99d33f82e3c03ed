/** Request bodies that are still arriving when the answer is ready. */
import type { IncomingHttpHeaders } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

interface Incoming {
  readonly complete: boolean
  readonly headers: IncomingHttpHeaders
}

/**
 * Whether the client has announced a body and not yet sent all of it. On a kept connection Node would read as long as
 * the client sends; with `Connection: close` the connection ends half a second after the answer.
 */
export const isPendingOn = (request: Incoming): boolean => !request.complete && isAnnounced(request.headers)

export const isPending = (request: HttpServerRequest): boolean =>
  isPendingOn(NodeHttpServerRequest.toIncomingMessage(request))

const isAnnounced = (headers: IncomingHttpHeaders): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0
