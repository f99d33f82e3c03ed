/** A body that will never be whole, on a connection that may still take the answer. */
import type { IncomingMessage } from "node:http"
import * as LingeringClose from "./LingeringClose.ts"

/**
 * Whoever reads the body, now or later, fails at once: otherwise they would wait for bytes that nobody sends. What has come
 * whole is left alone.
 */
export const breakOff = (request: IncomingMessage): void => {
  if (request.complete || request.destroyed) return
  LingeringClose.install(request.socket)
  // Node's own takes the socket with it.
  request._destroy = (_error, callback) => callback()
  request.destroy()
}
