/** Request bodies that are still under way when the answer is ready. */
import type { IncomingHttpHeaders } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

interface Incoming {
  readonly complete: boolean
  readonly headers: IncomingHttpHeaders
}

/**
 * Whether the client has announced a body and not yet sent all of it. On a connection that is kept Node would read on
 * for as long as the client cares to send; with `Connection: close` it is gone half a second after the answer.
 */
export const isPendingOn = (request: Incoming): boolean => !request.complete && isAnnounced(request.headers)

export const isPending = (request: HttpServerRequest): boolean =>
  isPendingOn(NodeHttpServerRequest.toIncomingMessage(request))

const isAnnounced = (headers: IncomingHttpHeaders): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0
