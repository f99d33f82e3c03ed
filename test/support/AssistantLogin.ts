/**
 * Signs in as a person does in a browser: opens the address, fills in the form, and is redirected. Handles cookies
 * and origins as browsers do, and knows nothing of the page except its form.
 */
export type Decision =
  | { readonly api_key: string; readonly decision: "allow" | "deny" }
  | { readonly account: string; readonly password: string; readonly decision: "allow" | "deny" }

/** The page on which the browser arrives after all redirects. */
export type Visit =
  | Page
  /** The client's redirect address. It is not visited. */
  | { readonly _tag: "SentBack"; readonly url: URL }

/** A page of the server. */
interface Page {
  readonly _tag: "Page"
  readonly url: URL
  readonly status: number
  readonly html: string
  /** The `Origin` with which its forms are posted. */
  readonly origin: string
}

interface Cookie {
  readonly value: string
  readonly path: string
}

/** The most redirects in a row. Browsers have a similar limit. */
const maxRedirects = 10

export class Browser {
  readonly #cookies = new Map<string, Cookie>()

  /** Follows an address to a page, or back to the client. */
  open(url: URL): Promise<Visit> {
    return this.#visit(url, { method: "GET" }, url.origin)
  }

  /** Fills in and submits the only form of the page. */
  submit(page: Visit, fields: Readonly<Record<string, string>>): Promise<Visit> {
    if (page._tag === "SentBack") throw new Error(`There is no page: the browser was sent to ${page.url}`)
    const form = formOf(page.html)
    if (form === null) throw new Error(`Status ${page.status} and no form:\n${page.html}`)
    const body = new URLSearchParams({ ...form.hidden, ...fields })
    return this.#visit(
      new URL(form.action, page.url),
      { method: "POST", body, headers: { origin: page.origin, "sec-fetch-site": "same-origin" } },
      page.url.origin
    )
  }

  /** Goes from the authorization address back to the client. Fails with the page's text if it does not get there. */
  async signIn(url: URL, decision: Decision): Promise<URL> {
    const visit = await this.submit(await this.open(url), { ...decision })
    if (visit._tag === "SentBack") return visit.url
    throw new Error(`Not sent back to the client, but status ${visit.status}:\n${visit.html}`)
  }

  async #visit(url: URL, init: RequestInit, home: string): Promise<Visit> {
    let [target, request] = [url, init]
    for (let redirects = 0; redirects < maxRedirects; redirects++) {
      const response = await fetch(target, {
        ...request,
        redirect: "manual",
        headers: this.#sent(target, request)
      })
      this.#keep(target, response)
      const location = response.headers.get("location")
      if (location === null || response.status < 300 || response.status > 399) {
        return pageOf(target, response, await response.text())
      }
      await response.body?.cancel()
      const keepsMethod = response.status === 307 || response.status === 308
      target = new URL(location, target)
      if (target.origin !== home) return { _tag: "SentBack", url: target }
      request = keepsMethod ? request : { method: "GET" }
    }
    throw new Error(`More than ${maxRedirects} redirects from ${url}`)
  }

  #sent(url: URL, { headers }: RequestInit): Headers {
    const sent = new Headers(headers)
    const cookies = [...this.#cookies].filter(([, { path }]) => isUnder(url.pathname, path))
    if (cookies.length > 0)
      sent.set("cookie", cookies.map(([name, { value }]) => `${name}=${value}`).join("; "))
    return sent
  }

  /** The part of RFC 6265 that one host needs. */
  #keep(url: URL, response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...rest] = line.split(";").map((part) => part.trim())
      const attributes = new Map(rest.map((part) => [nameOf(part).toLowerCase(), valueOf(part)]))
      const expires = Date.parse(attributes.get("expires") ?? "")
      const isGone = attributes.get("max-age") === "0" || expires <= Date.now()
      const path = attributes.get("path") ?? url.pathname.slice(0, Math.max(1, url.pathname.lastIndexOf("/")))
      if (isGone) this.#cookies.delete(nameOf(pair))
      else this.#cookies.set(nameOf(pair), { value: valueOf(pair), path })
    }
  }
}

/**
 * The forms of a page that hides its referrer are posted without an origin (Fetch, "append a request `Origin`
 * header").
 */
const pageOf = (url: URL, response: Response, html: string): Page => ({
  _tag: "Page",
  url,
  status: response.status,
  html,
  origin: response.headers.get("referrer-policy") === "no-referrer" ? "null" : url.origin
})

const nameOf = (pair: string): string => pair.split("=", 1)[0] ?? ""
const valueOf = (pair: string): string => pair.slice(nameOf(pair).length + 1)

const isUnder = (pathname: string, path: string): boolean =>
  pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`)

interface Form {
  readonly action: string
  readonly hidden: Readonly<Record<string, string>>
}

/** Reads the first form with the method POST. */
const formOf = (html: string): Form | null => {
  const [form] = /<form\b[^>]*>[\s\S]*?<\/form>/i.exec(html) ?? []
  if (form === undefined || attributeOf(form, "method")?.toLowerCase() !== "post") return null
  const hidden = [...form.matchAll(/<input\b[^>]*>/gi)]
    .map(([input]) => input)
    .filter((input) => attributeOf(input, "type") === "hidden")
    .map((input) => [attributeOf(input, "name") ?? "", attributeOf(input, "value") ?? ""] as const)
  return { action: attributeOf(form, "action") ?? "", hidden: Object.fromEntries(hidden) }
}

/** Reads the tag at the start of the text. */
const attributeOf = (html: string, name: string): string | undefined => {
  const [tag = ""] = /^<[^>]*>/.exec(html) ?? []
  const value = new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)'|([^\\s>"']+))`, "i").exec(tag)
  return value === null ? undefined : unescaped(value[1] ?? value[2] ?? value[3] ?? "")
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const unescaped = (text: string): string =>
  text.replaceAll(/&(?:#x([0-9a-f]+)|#([0-9]+)|(\w+));/gi, (whole, hex, decimal, name) =>
    hex !== undefined
      ? String.fromCodePoint(parseInt(String(hex), 16))
      : decimal !== undefined
        ? String.fromCodePoint(Number(decimal))
        : (entities[String(name)] ?? whole)
  )
