/** A browser as far as sign-ins need one: cookies of each origin, and redirects that can be followed or stopped at. */

export interface Visit {
  readonly status: number
  readonly url: string
  readonly location: string | null
  readonly text: string
  readonly setCookies: ReadonlyArray<string>
}

export interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export const make = () => {
  const jars = new Map<string, Map<string, string>>()

  const jarOf = (url: string) => {
    const { origin } = new URL(url)
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    return jar
  }

  const visit = async (url: string, { headers = {}, ...sent }: Sent = {}): Promise<Visit> => {
    const jar = jarOf(url)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(url, {
      ...sent,
      redirect: "manual",
      headers: { ...headers, ...(cookie !== "" && { cookie }) }
    })
    const setCookies = response.headers.getSetCookie()
    for (const line of setCookies) {
      const [pair = "", ...attributes] = line.split(";")
      const at = pair.indexOf("=")
      const isGone = attributes.some((text) => /^ *(max-age=0|expires=thu, 01 jan 1970)/i.test(text))
      if (isGone) jar.delete(pair.slice(0, at))
      else jar.set(pair.slice(0, at), pair.slice(at + 1))
    }
    const location = response.headers.get("location")
    return {
      status: response.status,
      url,
      location: location === null ? null : new URL(location, url).href,
      text: await response.text(),
      setCookies
    }
  }

  /** Follows redirects until `stopAt` fits the next address, or an answer is no redirect. */
  const follow = async (url: string, stopAt: (url: string) => boolean = () => false): Promise<Visit> => {
    let found = await visit(url)
    for (let hops = 0; hops < 10 && found.location !== null && !stopAt(found.location); hops++) {
      found = await visit(found.location)
    }
    return found
  }

  return { visit, follow, jarOf }
}

export type TestBrowser = ReturnType<typeof make>
