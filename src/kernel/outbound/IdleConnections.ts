/** Connections that were used and wait for a next request to the same place, so that not every one is connected anew. */
import { Effect, Option, Result } from "effect"
import { NetAddress } from "effect/net"
import type { Socket } from "node:net"
import type { Client } from "undici"
import type { Addresses } from "./Connection.ts"
import * as OutboundUrl from "./OutboundUrl.ts"
import * as SocketClient from "./SocketClient.ts"

export interface Connection {
  readonly origin: string
  /** The vetted address that it leads to, in canonical form. Empty when the socket was closed by then. */
  readonly remote: string
  readonly socket: Socket
  readonly client: Client
}

/** How many connections wait: in all, and for one origin. */
const maxKept = 256
const maxKeptPerOrigin = 64

/** Ends a connection and what is under way on it. */
export const close = (connection: Connection): void => {
  connection.client.destroy(null, () => {})
  connection.socket.destroy()
}

/** As text, which is cheaper to compare than addresses of which each is new. */
const canonical = (address: NetAddress.IpAddress): string =>
  NetAddress.formatIp(NetAddress.toCanonical(address))

const remoteOf = (socket: Socket): string =>
  Option.match(Result.getSuccess(NetAddress.ipFromString(socket.remoteAddress ?? "")), {
    onNone: () => "",
    onSome: canonical
  })

export interface IdleConnections {
  /** A connection over a socket that leads to a vetted address. It is the caller's to close or to give to `keep`. */
  open(socket: Socket, target: OutboundUrl.Target): Connection
  /** One that waits, was opened for this scheme, host and port, and leads to one of `addresses`. It waits no more. */
  take(target: OutboundUrl.Target, addresses: Addresses): Option.Option<Connection>
  /**
   * Has a connection wait, on which nothing is under way or left unread. When too many do, it is closed, or the one that
   * has waited longest.
   */
  keep(connection: Connection): void
}

/** Those that wait are closed after `SocketClient.maxIdle`, sooner when the server said so, and with the scope. */
export const make = Effect.gen(function* () {
  /** Those that have waited longest come first. */
  const waiting: Array<Connection> = []
  let isOpen = true

  const remove = (connection: Connection) => {
    const index = waiting.indexOf(connection)
    if (index >= 0) waiting.splice(index, 1)
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isOpen = false
      waiting.splice(0).forEach(close)
    })
  )

  const connections: IdleConnections = {
    open: (socket, target) => {
      const connection: Connection = {
        origin: OutboundUrl.origin(target),
        remote: remoteOf(socket),
        socket,
        client: SocketClient.make(socket, target)
      }
      socket.once("close", () => remove(connection))
      return connection
    },
    take: (target, addresses) => {
      const origin = OutboundUrl.origin(target)
      const vetted = addresses.map(canonical)
      const found = waiting.findLast(
        (connection) =>
          connection.origin === origin && vetted.includes(connection.remote) && !connection.socket.destroyed
      )
      if (found !== undefined) remove(found)
      return Option.fromUndefinedOr(found)
    },
    keep: (connection) => {
      const ofOrigin = waiting.filter(({ origin }) => origin === connection.origin).length
      if (!isOpen || connection.socket.destroyed || ofOrigin >= maxKeptPerOrigin) return close(connection)
      waiting.push(connection)
      if (waiting.length > maxKept) waiting.splice(0, 1).forEach(close)
    }
  }
  return connections
})
