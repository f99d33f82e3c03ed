/** `Expect: 100-continue` (RFC 9110, 10.1.1) for bodies that are read as Node has them, not through the request's `stream`. */
import type { IncomingHttpHeaders } from "node:http"
import type { Readable } from "node:stream"

interface Incoming extends Readable {
  readonly headers: IncomingHttpHeaders
}

interface Outgoing {
  readonly headersSent: boolean
  readonly writeContinue: () => void
}

/** Both begin a read: one lets the bytes flow, with the other they are fetched. */
const reads: ReadonlySet<string | symbol> = new Set(["data", "readable"])

/** Tells the client to send the body once somebody begins to read it; not at all when it is answered unread. */
export const install = (request: Incoming, response: Outgoing): void => {
  if (request.headers.expect === undefined) return
  const begin = (event: string | symbol): void => {
    if (!reads.has(event)) return
    request.off("newListener", begin)
    if (!response.headersSent) response.writeContinue()
  }
  request.on("newListener", begin)
}
