/**
 * Whether a call of the console comes from a page of this server. Browsers send `Origin` with every call that is not a GET, and
 * `Sec-Fetch-Site` with every call (Fetch Metadata). No page of another site can add a header to a call without asking first.
 */
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"

/** Which calls of the console have, so that a form cannot send them. */
const header = "x-inferlog-console"

const foreign = ErrorAnswer.coded(
  403,
  "FOREIGN_ORIGIN",
  "A call of the console must come from a page of this server."
)

export interface Arrival {
  readonly method: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

/**
 * @param addresses public ones of this server. The one that the browser called is its own in any case, but not without TLS
 * where the public one has it: whoever is on the way can write such a page.
 */
export const make = (addresses: ReadonlyArray<string>) => {
  const own = new Set(addresses.map((address) => new URL(address).origin))

  /** `null` for a call from our own pages. */
  return ({ headers, method }: Arrival): ErrorAnswer.ErrorAnswer | null => {
    const { host, origin, "sec-fetch-site": site } = headers
    const isOwn =
      typeof origin === "string" &&
      (own.has(origin) ||
        origin === `https://${String(host)}` ||
        (origin === `http://${String(host)}` && !own.has(`https://${String(host)}`)))
    if (method === "GET" || method === "HEAD") {
      const isFromHere = site === undefined || site === "same-origin" || site === "none"
      return isFromHere && (origin === undefined || isOwn) ? null : foreign
    }
    const isFromHere = site === undefined || site === "same-origin"
    return isFromHere && isOwn && headers[header] === "1" ? null : foreign
  }
}
