/** Real servers on this machine, which outbound calls reach, are delayed by, or must not reach. */
import { Effect } from "effect"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import * as Http from "node:http"
import * as Https from "node:https"
import * as Net from "node:net"
import * as Tls from "node:tls"
import * as Until from "#test/support/Until.ts"

const fixture = (name: string) =>
  readFileSync(new URL(`../../../../fixtures/tls/${name}`, import.meta.url), "utf8")

/** Signed `certificate`, which is for `receiver.example.com` and `127.0.0.1`. */
export const authority = fixture("ca.pem")
const certificate = { cert: fixture("receiver.pem"), key: fixture("receiver.key.pem") }

export interface Receiver {
  readonly port: number
  /** TCP connections accepted so far. */
  readonly connections: () => number
  /** Open TCP connections. */
  readonly open: () => number
  /** Waits until `isSo`, checked whenever a connection is accepted or closed. */
  readonly until: (isSo: () => boolean) => Effect.Effect<void>
  /** Waits until all are closed. */
  readonly closed: Effect.Effect<void>
}

/** Default: any port of 127.0.0.1. */
interface Place {
  readonly host?: string
  readonly port?: number
}

/** Listens until the scope closes, then cuts every connection. */
const listen = Effect.fn(function* (server: Net.Server, { host = "127.0.0.1", port = 0 }: Place = {}) {
  const sockets = new Set<Net.Socket>()
  const watchers = new Set<() => void>()
  let connections = 0
  server.on("connection", (socket) => {
    connections += 1
    sockets.add(socket)
    socket
      .on("error", () => {})
      .on("close", () => {
        sockets.delete(socket)
        watchers.forEach((watch) => watch())
      })
    watchers.forEach((watch) => watch())
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
  const until = (isSo: () => boolean) =>
    Until.within(
      "its connections",
      Effect.callback<void>((resume) => {
        const watch = () => {
          if (isSo()) resume(Effect.void)
        }
        watchers.add(watch)
        watch()
      }),
      () => ({ connections, open: sockets.size })
    )
  const receiver: Receiver = {
    port: address !== null && typeof address === "object" ? address.port : port,
    connections: () => connections,
    open: () => sockets.size,
    until,
    closed: until(() => sockets.size === 0)
  }
  return receiver
})

export const https = (handler: Http.RequestListener, options?: Place) =>
  listen(Https.createServer(certificate, handler), options)

export const http = (handler: Http.RequestListener, options?: Place) =>
  listen(Http.createServer(handler), options)

/** Passes the decrypted connection, for invalid HTTP answers. */
export const tls = (handler: (socket: Tls.TLSSocket) => void) =>
  listen(Tls.createServer(certificate, (socket) => handler(socket.on("error", () => {}))))

/** Passes the accepted connection. */
export const tcp = (handler: (socket: Net.Socket) => void) => listen(Net.createServer(handler))

/** Accepts connections and stays silent. Used as a canary that must not be reached. */
export const silent = (options?: Place) =>
  listen(
    Net.createServer((socket) => socket.resume()),
    options
  )
