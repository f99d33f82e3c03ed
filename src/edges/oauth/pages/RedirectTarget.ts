/** The target of the redirect after a decision: as text for users, and as a policy source. */
import * as RedirectUri from "../RedirectUri.ts"

export interface RedirectTarget {
  /** For a site the full host, an IDN in its ASCII form; for an app's scheme the address without its query. */
  readonly shown: string
  /** Who receives the code: a site, a program on the user's computer, or an app with its own scheme (RFC 8252, 7). */
  readonly kind: "site" | "computer" | "app"
  /** A source for `form-action` (CSP 3): Chromium also checks the redirects that follow a form. */
  readonly source: string
}

/** A host that is valid in a policy. Other hosts of URLs could end the source or widen it. */
const plainHost = /^[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?$/

/** Characters of an address from the client. `shown` is shortened to this. */
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
