/**
 * A server on bare sockets that does to its clients what networks do: it answers what it is told, byte by byte if need be, or stops in
 * the middle, answers nothing, or hangs. Each connection carries one exchange.
 */
import * as net from "node:net"
import * as timers from "node:timers/promises"
import type { Place } from "./BehaviourCase.ts"
import * as RawRequest from "./RawRequest.ts"

export interface Reaction {
  readonly bytes: Buffer
  /** The connection ends behind this number of bytes; behind all of them if it is absent. */
  readonly cut?: number
  /** The connection stays open after that, until the client closes it. */
  readonly hangs?: boolean
  /** Each byte is a packet of its own. */
  readonly isBytewise?: boolean
  /** A pause before each of these offsets, ms. */
  readonly pauses?: { readonly ms: number; readonly at: ReadonlyArray<number> }
}

/** What the server does now. It is asked about a request when that has arrived whole. */
export interface Script {
  readonly react: (place: Place, request: RawRequest.RawRequest) => Reaction
  /** The number of bytes of the next request after which its connection is cut off; `null`: none. */
  readonly cutsRequest: (place: Place) => number | null
}

const write = (socket: net.Socket, bytes: Buffer) =>
  new Promise<void>((resolve) => socket.write(bytes, () => resolve()))

const send = async (
  socket: net.Socket,
  { bytes, cut, hangs = false, isBytewise = false, pauses }: Reaction
) => {
  const sent = bytes.subarray(0, cut ?? bytes.length)
  const stops = isBytewise
    ? Array.from(sent, (_, index) => index)
    : (pauses?.at.filter((offset) => offset < sent.length) ?? [])
  let at = 0
  for (const stop of [...stops, sent.length]) {
    if (socket.destroyed) return
    if (stop > at) await write(socket, sent.subarray(at, stop))
    at = stop
    if (pauses !== undefined && stop < sent.length) await timers.setTimeout(pauses.ms)
  }
  if (!hangs) socket.end()
}

const places: ReadonlyArray<Place> = ["url", "queue", "other"]

const silent: Script = { react: () => ({ bytes: Buffer.alloc(0) }), cutsRequest: () => null }

/** Listens on three ports of this machine, one for each place. */
export const make = async () => {
  let script = silent
  const sockets = new Set<net.Socket>()

  const serve = (place: Place) => (socket: net.Socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
    const limit = script.cutsRequest(place)
    RawRequest.read(socket, {
      bytes: (count) => {
        if (limit !== null && count >= limit) socket.destroy()
      },
      request: (request) => {
        if (!socket.destroyed) void send(socket, script.react(place, request))
      }
    })
  }
  const servers = await Promise.all(
    places.map(async (place) => {
      const server = net.createServer(serve(place))
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    })
  )
  const origin = (place: Place): string => {
    const address = servers[places.indexOf(place)]?.address()
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  }
  const disconnect = () => sockets.forEach((socket) => socket.destroy())

  return {
    origin,
    /** Follows another script from now on, and ends the connections of the one before. */
    follow: (next: Script) => {
      disconnect()
      script = next
    },
    close: async () => {
      disconnect()
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    }
  }
}

export type FaultyServer = Awaited<ReturnType<typeof make>>
