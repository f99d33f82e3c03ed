/** Real servers on this machine for outbound calls to reach, be held up by, or never reach. */
import { Effect } from "effect"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import * as Http from "node:http"
import * as Https from "node:https"
import * as Net from "node:net"
import * as Tls from "node:tls"

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), "utf8")

/** Signed `certificate`, which is for `receiver.example.com` and `127.0.0.1`. */
export const authority = fixture("ca.pem")
const certificate = { cert: fixture("receiver.pem"), key: fixture("receiver.key.pem") }

export interface Receiver {
  readonly port: number
  /** TCP connections accepted so far. */
  readonly connections: () => number
  /** Waits until every one of them is closed. */
  readonly closed: Effect.Effect<void>
}

const closing = (socket: Net.Socket) => new Promise<void>((resolve) => socket.once("close", () => resolve()))

/** Listens until the scope closes, which also cuts every connection. */
const listen = Effect.fn(function* (server: Net.Server, port: number, host: string) {
  const sockets = new Set<Net.Socket>()
  let connections = 0
  server.on("connection", (socket) => {
    connections += 1
    sockets.add(socket)
    socket.on("error", () => {}).on("close", () => sockets.delete(socket))
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen(port, host), "listening")),
    () =>
      Effect.sync(() => {
        server.close()
        sockets.forEach((socket) => socket.destroy())
      })
  )
  const address = server.address()
  const receiver: Receiver = {
    port: address !== null && typeof address === "object" ? address.port : port,
    connections: () => connections,
    closed: Effect.promise(() => Promise.all([...sockets].map(closing))).pipe(Effect.asVoid)
  }
  return receiver
})

export const https = (handler: Http.RequestListener) =>
  listen(Https.createServer(certificate, handler), 0, "127.0.0.1")

export const http = (handler: Http.RequestListener) => listen(Http.createServer(handler), 0, "127.0.0.1")

/** Hands over the decrypted connection, for answers that no HTTP server would give. */
export const tls = (handler: (socket: Tls.TLSSocket) => void) =>
  listen(
    Tls.createServer(certificate, (socket) => handler(socket.on("error", () => {}))),
    0,
    "127.0.0.1"
  )

/** Accepts connections and says nothing. A canary, when it must not be reached. */
export const silent = (options?: { readonly host?: string; readonly port?: number }) =>
  listen(
    Net.createServer((socket) => socket.resume()),
    options?.port ?? 0,
    options?.host ?? "127.0.0.1"
  )
