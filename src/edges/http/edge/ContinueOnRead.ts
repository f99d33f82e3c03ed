/** `Expect: 100-continue` (RFC 9110, 10.1.1) for bodies read from Node's request, not the request's `stream`. */
import type { IncomingHttpHeaders } from "node:http"
import type { Readable } from "node:stream"

interface Incoming extends Readable {
  readonly headers: IncomingHttpHeaders
}

interface Outgoing {
  readonly headersSent: boolean
  readonly writeContinue: () => void
}

/** Both begin a read: `data` lets the bytes flow, `readable` waits for `read()`. */
const reads: ReadonlySet<string | symbol> = new Set(["data", "readable"])

/** Asks the client for the body when a reader begins to read it. A request that is answered unread gets no such line. */
export const install = (request: Incoming, response: Outgoing): void => {
  if (request.headers.expect === undefined) return
  const begin = (event: string | symbol): void => {
    if (!reads.has(event)) return
    request.off("newListener", begin)
    if (!response.headersSent) response.writeContinue()
  }
  request.on("newListener", begin)
}
