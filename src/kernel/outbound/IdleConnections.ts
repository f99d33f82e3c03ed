/** Connections that wait for the next request to the same origin, so that it needs no new connection. */
import { Effect, Option, Result } from "effect"
import { NetAddress } from "effect/net"
import type { Socket } from "node:net"
import type { Client } from "undici"
import type { Addresses } from "./Connection.ts"
import type { Target } from "./OutboundUrl.ts"
import * as SocketClient from "./SocketClient.ts"

export interface Connection {
  readonly origin: string
  /** The vetted remote address in canonical form. Empty when the socket was already closed. */
  readonly remote: string
  readonly socket: Socket
  readonly client: Client
}

/** The most idle connections, in total and per origin. */
const maxKept = 256
const maxKeptPerOrigin = 64

/** Closes a connection and aborts the requests on it. */
export const close = (connection: Connection): void => {
  connection.client.destroy(null, () => {})
  connection.socket.destroy()
}

/** As text, which is cheaper to compare than address objects. */
const canonical = (address: NetAddress.IpAddress): string =>
  NetAddress.formatIp(NetAddress.toCanonical(address))

const remoteOf = (socket: Socket): string =>
  Option.match(Result.getSuccess(NetAddress.ipFromString(socket.remoteAddress ?? "")), {
    onNone: () => "",
    onSome: canonical
  })

export interface IdleConnections {
  /** Opens a connection over a socket to a vetted address. The caller closes it or passes it to `keep`. */
  open(socket: Socket, target: Target): Connection
  /** Removes and returns an idle connection for this scheme, host and port that leads to one of `addresses`. */
  take(target: Target, addresses: Addresses): Option.Option<Connection>
  /** Stores an idle connection without request or unread response. Beyond the limit closes the longest idle one. */
  keep(connection: Connection): void
}

/** Idle connections close after `SocketClient.maxIdle`, sooner if the server announced it, and with the scope. */
export const make = Effect.gen(function* () {
  /** The longest idle comes first, here and per origin. */
  const waiting = new Set<Connection>()
  const ofOrigins = new Map<string, Array<Connection>>()
  let isOpen = true

  const remove = (connection: Connection) => {
    if (!waiting.delete(connection)) return
    const ofOrigin = ofOrigins.get(connection.origin) ?? []
    ofOrigin.splice(ofOrigin.lastIndexOf(connection), 1)
    if (ofOrigin.length === 0) ofOrigins.delete(connection.origin)
  }

  const add = (connection: Connection, ofOrigin: Array<Connection>) => {
    waiting.add(connection)
    ofOrigin.push(connection)
    ofOrigins.set(connection.origin, ofOrigin)
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isOpen = false
      const all = [...waiting]
      waiting.clear()
      ofOrigins.clear()
      all.forEach(close)
    })
  )

  const connections: IdleConnections = {
    open: (socket, target) => {
      const connection: Connection = {
        origin: target.origin,
        remote: remoteOf(socket),
        socket,
        client: SocketClient.make(socket, target)
      }
      socket.once("close", () => remove(connection))
      return connection
    },
    take: (target, addresses) => {
      const ofOrigin = ofOrigins.get(target.origin)
      if (ofOrigin === undefined) return Option.none()
      const vetted = addresses.map(canonical)
      const found = ofOrigin.findLast(
        (connection) => vetted.includes(connection.remote) && !connection.socket.destroyed
      )
      if (found !== undefined) remove(found)
      return Option.fromUndefinedOr(found)
    },
    keep: (connection) => {
      const ofOrigin = ofOrigins.get(connection.origin) ?? []
      if (!isOpen || connection.socket.destroyed || ofOrigin.length >= maxKeptPerOrigin)
        return close(connection)
      add(connection, ofOrigin)
      if (waiting.size <= maxKept) return
      for (const oldest of waiting) {
        remove(oldest)
        return close(oldest)
      }
    }
  }
  return connections
})
