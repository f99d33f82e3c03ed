/** Where the browser goes with the decision: as people know it, and as a policy does. */
import * as RedirectUri from "../RedirectUri.ts"

export interface RedirectTarget {
  /** Of a site the host in full, an IDN in its ASCII form; of an app's own scheme the address without its query. */
  readonly shown: string
  /** Who takes it there: a site, a program on the reader's computer, or an app that claims the scheme (RFC 8252, 7). */
  readonly kind: "site" | "computer" | "app"
  /** A source for `form-action` (CSP 3): Chromium holds against it where the answer to a form leads, too. */
  readonly source: string
}

/** What a policy takes for a host: other ones, which URLs may well have, would end the source or widen it. */
const plainHost = /^[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?$/

/** Of an address that the client has registered; `shown` is what is left of longer ones. */
const longest = 80

const clipped = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text)

export const of = (redirectUri: string): RedirectTarget => {
  const { host, hostname, href, pathname, protocol } = new URL(redirectUri)
  const isSite = protocol === "https:" || protocol === "http:"
  if (!isSite) {
    const authority = href.startsWith(`${protocol}//`) ? `//${host}` : ""
    return { shown: clipped(`${protocol}${authority}${pathname}`), kind: "app", source: protocol }
  }
  return {
    shown: host,
    kind: RedirectUri.isLoopback(hostname) ? "computer" : "site",
    source: plainHost.test(host) ? `${protocol}//${host}` : protocol
  }
}
