/** A real server behind a proxy that injects faults. Clients know only the proxy's address. */
import { once } from "node:events"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

export interface Seen {
  readonly method: string
  /** The path with its query. */
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
}

/** The fault, instead of forwarding a request. */
export type Fault =
  | {
      readonly _tag: "Answer"
      readonly status: number
      readonly headers?: Record<string, string>
      readonly body?: unknown
    }
  /** Cuts the connection after this many bytes of the request's body. */
  | { readonly _tag: "CutRequest"; readonly after: number }
  /** The server handles the request, and its answer is cut after this many bytes of the body. */
  | { readonly _tag: "CutAnswer"; readonly after: number }
  /** Changes the first byte of the answer's body. */
  | { readonly _tag: "Damage" }
  /** Forwards the request when the promise resolves. */
  | { readonly _tag: "Hold"; readonly until: Promise<void> }

/** For the `turn`th request with its method and path, from 1. */
type Faults = (request: Seen, turn: number) => Fault | null

export interface FaultyServer {
  readonly url: string
  readonly seen: () => ReadonlyArray<Seen>
  /** Replaces the faults and forgets earlier requests. */
  readonly faults: (faults: Faults) => void
}

const answer = (
  response: http.ServerResponse,
  { body, headers, status }: Extract<Fault, { _tag: "Answer" }>
) =>
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify(body ?? {}))

const cutRequest = (request: http.IncomingMessage, after: number) => {
  let bytes = 0
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes >= after) request.socket.destroy()
  })
}

const relay = (upstream: http.IncomingMessage, response: http.ServerResponse, fault: Fault | null) => {
  response.writeHead(upstream.statusCode ?? 500, upstream.headers)
  let bytes = 0
  upstream.on("data", (chunk: Buffer) => {
    if (fault?._tag === "Damage" && bytes === 0) chunk[0] = (chunk[0] ?? 0) ^ 0xff
    bytes += chunk.length
    if (fault?._tag !== "CutAnswer" || bytes <= fault.after) return void response.write(chunk)
    response.write(chunk.subarray(0, Math.max(0, fault.after - (bytes - chunk.length))), () =>
      response.socket?.destroy()
    )
  })
  upstream.on("end", () => (fault?._tag === "CutAnswer" ? response.socket?.destroy() : response.end()))
}

const passOn = (
  port: number,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  fault: Fault | null
) => {
  const { headers, method, url: path } = request
  const forwarded = http.request({ port, host: "127.0.0.1", method, path, headers }, (upstream) =>
    relay(upstream, response, fault)
  )
  forwarded.on("error", () => response.socket?.destroy())
  request.on("error", () => forwarded.destroy())
  request.pipe(forwarded)
}

const listen = async (server: http.Server): Promise<string> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Has an account with the key `ServerProcess.apiKey`, and further settings. Removed with the scope. */
export const makeWith = Effect.fnUntraced(function* (settings: Readonly<Record<string, string>>) {
  const dataDirectory = yield* TempDirectory.make
  let [faults, seen]: [Faults, Array<Seen>] = [() => null, []]
  const port = yield* Effect.promise(ServerProcess.freePort)
  const proxy = http.createServer((request, response) => {
    const one = { method: request.method ?? "", path: request.url ?? "", headers: request.headers }
    seen.push(one)
    const isAlike = (other: Seen) =>
      other.method === one.method && other.path.split("?", 1)[0] === one.path.split("?", 1)[0]
    const fault = faults(one, seen.filter(isAlike).length)
    if (fault?._tag === "Answer") {
      request.resume()
      return void answer(response, fault)
    }
    if (fault?._tag === "CutRequest") return void cutRequest(request, fault.after)
    const held = fault?._tag === "Hold" ? fault.until : Promise.resolve()
    void held.then(() => passOn(port, request, response, fault))
  })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      proxy.closeAllConnections()
      proxy.close()
    })
  )
  const url = yield* Effect.promise(() => listen(proxy))
  const env = { ...settings, BASE_URL: url, MEDIA_URL: url, QUEUE_URL: url, MCP_URL: url }
  const server = yield* Effect.promise(() => ServerProcess.start({ dataDirectory, port, env }))
  yield* Effect.addFinalizer(() => Effect.promise(() => server.kill("SIGKILL")))
  return {
    url,
    seen: () => seen,
    faults: (next) => {
      faults = next
      seen = []
    }
  } satisfies FaultyServer
})

export const make = makeWith({})
