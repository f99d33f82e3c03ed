/** A browser with cookies that calls the console as its pages do. */
import { Effect } from "effect"
import { type Probe, type Reply, send } from "#test/support/HttpProbe.ts"

export interface Sent extends Probe {
  readonly json?: unknown
  /** Headers of the page; by default those of a page of the server itself. */
  readonly page?: Readonly<Record<string, string>>
}

const cookiesOf = ({ headers }: Reply): ReadonlyArray<string> => {
  const found: unknown = headers["set-cookie"]
  return Array.isArray(found) ? found.map(String) : []
}

export const make = (port: number) => {
  const jar = new Map<string, string>()

  const take = (line: string) => {
    const [pair = ""] = line.split(";")
    const at = pair.indexOf("=")
    const value = pair.slice(at + 1)
    if (value === "") jar.delete(pair.slice(0, at))
    else jar.set(pair.slice(0, at), value)
  }

  const call = ({ headers, json, page, ...probe }: Sent): Effect.Effect<Reply> => {
    const own = { origin: `http://127.0.0.1:${port}`, "x-inferlog-console": "1" }
    const isRead = probe.method === undefined || probe.method === "GET"
    const all = {
      ...(page ?? (isRead ? {} : own)),
      ...(jar.size > 0 && { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") }),
      ...(json !== undefined && { "content-type": "application/json" }),
      ...headers
    }
    return Effect.tap(
      send(port, { ...probe, headers: all, ...(json !== undefined && { body: JSON.stringify(json) }) }),
      (reply) => Effect.sync(() => cookiesOf(reply).forEach(take))
    )
  }

  const signIn = (json: unknown, headers: Readonly<Record<string, string>> = {}) =>
    call({ method: "POST", path: "/console/session", json, headers })

  return { jar, call, signIn, cookiesOf }
}

export type ConsoleBrowser = ReturnType<typeof make>
