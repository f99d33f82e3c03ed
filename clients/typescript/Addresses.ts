/** Addresses, paths and queries of calls. */

export type Query = Readonly<
  Record<string, string | number | boolean | Date | ReadonlyArray<string> | null | undefined>
>

/** A filter of the API whose times may be a `Date`. */
export type Timed<Filter, Names extends keyof Filter> = Omit<Filter, Names> & {
  readonly [Name in Names]?: string | Date | undefined
}

/** Without a trailing slash, query or fragment. */
export const addressOf = (url: string | URL): string => {
  const { href, protocol, username } = new URL(url)
  // `fetch` refuses a name and password, and would show them in its error.
  if (!/^https?:$/.test(protocol) || username !== "")
    throw new TypeError("An address is http(s)://host, without a user")
  return href.replace(/\/*(?:[?#].*)?$/, "")
}

/** With its `?`, or empty. */
export const queryOf = (query: Query): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? (value as ReadonlyArray<string>) : [value]) {
      if (one !== undefined && one !== null) {
        search.append(name, one instanceof Date ? one.toISOString() : String(one))
      }
    }
  }
  return `?${search}`.replace(/^\?$/, "")
}

/** Part of a path. Parts that a URL does not keep are refused, so that no call goes to another route. */
export const segment = (text: string): string => {
  if (typeof text !== "string" || /^\.{0,2}$/.test(text)) throw new TypeError("An id or name is not valid")
  return encodeURIComponent(text)
}

/** `owner/name` as a path. */
export const modelPath = (model: string): string => {
  const parts = String(model).split("/")
  if (parts.length !== 2) throw new TypeError("A model is owner/name")
  return `/${parts.map(segment).join("/")}`
}
