/** Request bodies that are still under way when the answer is ready. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/**
 * Whether the client has announced a body and not yet sent all of it. On a connection that is kept Node would read on
 * for as long as the client cares to send; with `Connection: close` it is gone half a second after the answer.
 */
export const isPending = (request: HttpServerRequest): boolean =>
  isAnnounced(request.headers) && !NodeHttpServerRequest.toIncomingMessage(request).complete

const isAnnounced = (headers: HttpServerRequest["headers"]): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0
