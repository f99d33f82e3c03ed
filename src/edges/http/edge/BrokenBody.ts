/** A request body that will never be complete, on a connection that may still take the answer. */
import type { IncomingMessage } from "node:http"
import * as LingeringClose from "./LingeringClose.ts"

/**
 * Makes every reader of the body fail at once; otherwise it would wait for bytes that never come. Has no effect on a
 * complete body.
 */
export const breakOff = (request: IncomingMessage): void => {
  if (request.complete || request.destroyed) return
  LingeringClose.install(request.socket)
  // Node's own `_destroy` also destroys the socket.
  request._destroy = (_error, callback) => callback()
  request.destroy()
}
