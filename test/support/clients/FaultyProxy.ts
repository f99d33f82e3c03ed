/** Stands between clients and a server, passes bytes on, and does to them what networks do. */
import * as net from "node:net"
import * as RawAnswer from "./RawAnswer.ts"
import * as RawRequest from "./RawRequest.ts"

export interface Fault {
  /** The connection breaks once, behind this number of bytes of answers, counted over all connections. */
  readonly answers?: number
  /** The same for bytes of requests. */
  readonly requests?: number
  /** The first exchanges get these statuses, and do not reach the server. */
  readonly refusals?: ReadonlyArray<number>
  /** Statuses and chunks of streams come twice. */
  readonly duplicates?: boolean
  /** Answers come in packets of so many bytes. */
  readonly packets?: number
}

export interface Passed {
  /** Bytes. */
  answers: number
  requests: number
  /** How many connections were cut off. */
  cuts: number
}

/** Repeats events as they pass. Streams of the server end with their connection, so no length changes. */
const duplicating = () => {
  let rest = ""
  let isStream: boolean | null = null
  return (bytes: Buffer): Buffer => {
    rest += bytes.toString("latin1")
    if (isStream === null && rest.includes("\r\n\r\n"))
      isStream = /^content-type: *text\/event-stream/im.test(rest.slice(0, rest.indexOf("\r\n\r\n")))
    if (isStream === null) return Buffer.alloc(0)
    const blocks = rest.split("\n\n")
    rest = isStream ? (blocks.pop() ?? "") : ""
    if (!isStream) return Buffer.from(blocks.join("\n\n"), "latin1")
    const told = blocks.map((block) => {
      const event = block.slice(block.indexOf("\r\n\r\n") + 1).trimStart()
      const isEvent = /^data:/m.test(event) && !/^event: (request|restart|progress|done)$/m.test(event)
      return isEvent ? `${block}\n\n${event}\n\n` : `${block}\n\n`
    })
    return Buffer.from(told.join(""), "latin1")
  }
}

const refuse = (socket: net.Socket, status: number) =>
  RawRequest.read(socket, {
    bytes: () => {},
    request: () =>
      socket.end(RawAnswer.of({ status, headers: { "retry-after": "0" }, body: { error: "Later." } }).bytes)
  })

/** Calls `write` with pieces of `bytes`, each as a packet of its own. */
const inPackets = (bytes: Buffer, size: number, write: (piece: Buffer) => void) => {
  for (let at = 0; at < bytes.length; at += size) write(bytes.subarray(at, at + size))
}

/** Listens on a free port of this machine. */
export const make = async () => {
  let port = 0
  let fault: Fault = {}
  let refused = 0
  let passed: Passed = { answers: 0, requests: 0, cuts: 0 }
  const sockets = new Set<net.Socket>()

  /** The bytes that may still pass, and whether they are the last of their connection. */
  const admit = (side: "answers" | "requests", bytes: Buffer) => {
    const limit = passed.cuts > 0 ? Infinity : (fault[side] ?? Infinity)
    const admitted = bytes.subarray(0, Math.max(0, limit - passed[side]))
    passed[side] += admitted.length
    const isLast = admitted.length < bytes.length
    if (isLast) passed.cuts++
    return { admitted, isLast }
  }

  const server = net.createServer((client) => {
    sockets.add(client)
    client.setNoDelay(true)
    client.on("error", () => {})
    client.on("close", () => sockets.delete(client))
    const refusal = fault.refusals?.[refused]
    if (refusal !== undefined) {
      refused++
      return refuse(client, refusal)
    }
    const upstream = net.connect(port, "127.0.0.1")
    sockets.add(upstream)
    upstream.setNoDelay(true)
    upstream.on("error", () => client.destroy())
    upstream.on("close", () => {
      sockets.delete(upstream)
      client.end()
    })
    client.on("close", () => upstream.end())
    client.on("data", (bytes) => {
      const { admitted, isLast } = admit("requests", bytes)
      if (!isLast) return void (upstream.write(admitted) || pause(client, upstream))
      upstream.write(admitted, () => upstream.destroy())
      client.destroy()
    })
    const change = fault.duplicates === true ? duplicating() : (bytes: Buffer) => bytes
    const { packets = Infinity } = fault
    upstream.on("data", (bytes) => {
      const { admitted, isLast } = admit("answers", change(bytes))
      if (packets === Infinity) client.write(admitted)
      else inPackets(admitted, packets, (piece) => client.write(piece))
      if (!isLast) return
      client.end()
      upstream.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const disconnect = () => sockets.forEach((socket) => socket.destroy())

  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    /** The port of the server, on this machine. */
    toward: (of: number) => void (port = of),
    /** Does this from now on, and counts anew. */
    suffer: (next: Fault) => {
      disconnect()
      fault = next
      refused = 0
      passed = { answers: 0, requests: 0, cuts: 0 }
    },
    passed: (): Readonly<Passed> => passed,
    close: async () => {
      disconnect()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

const pause = (client: net.Socket, upstream: net.Socket) => {
  client.pause()
  upstream.once("drain", () => client.resume())
}

export type FaultyProxy = Awaited<ReturnType<typeof make>>
