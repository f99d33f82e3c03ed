/**
 * Refuses ambiguous requests before routing, so that a request means the same to every proxy: a path is matched whole
 * and as written, only `?` begins a query (RFC 3986, 3.3), and there is one `Host` (RFC 9112, 3.2).
 */
import type { IncomingMessage } from "node:http"
import * as ErrorAnswer from "../ErrorAnswer.ts"

/** Closes the connection, because what follows on it may be meant for another host. */
const unclear = (error: string) =>
  new ErrorAnswer.ErrorAnswer({ status: 400, error, headers: { connection: "close" } })

const hostMissing = unclear("The Host header is missing.")
const hostRepeated = unclear("There is more than one Host header.")

/** Names and values alternate. */
const countHosts = (rawHeaders: ReadonlyArray<string>): number => {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === "host") count++
  }
  return count
}

export const hostError = ({ headers, rawHeaders }: IncomingMessage): ErrorAnswer.ErrorAnswer | null => {
  if (headers.host === undefined) return hostMissing
  return countHosts(rawHeaders) > 1 ? hostRepeated : null
}

/** Our router ends a path at `;` and `#`, and decodes an encoded letter, digit, `-`, `.`, `_` or `~`. */
const otherSpelling = /[;#\\]|%(?:2[de]|3\d|[46][1-9a-f]|5[0-9af]|7[0-9ae])/i

/** Refuses a path that a route would answer although it is spelled differently. */
export const pathError = ({ url = "" }: IncomingMessage): ErrorAnswer.ErrorAnswer | null => {
  const end = url.indexOf("?")
  const path = end === -1 ? url : url.slice(0, end)
  return otherSpelling.test(path) ? ErrorAnswer.unknownRoute : null
}
