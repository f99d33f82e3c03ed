/** A DNS server on this machine that answers from a table: the part of RFC 1035 that tests of a resolver need. */
import { Effect } from "effect"
import * as Datagram from "node:dgram"
import { once } from "node:events"

export interface Entry {
  readonly a?: ReadonlyArray<string>
  readonly aaaa?: ReadonlyArray<string>
  readonly cname?: string
  /** For A, for AAAA, or for both: no error 0, SERVFAIL 2, NXDOMAIN 3, REFUSED 5. */
  readonly code?: { readonly a?: number; readonly aaaa?: number }
  readonly silent?: boolean
  /** The delay of the answer, ms. */
  readonly delay?: number
}

export interface Zone {
  readonly [name: string]: Entry | undefined
}

export type QueryType = "a" | "aaaa"

const types = { a: 1, cname: 5, aaaa: 28 }

const encodeName = (name: string) =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0])
  ])

const encodeIpv6 = (address: string) =>
  Buffer.from(
    address
      .split(":")
      .map((group) => group.padStart(4, "0"))
      .join(""),
    "hex"
  )

const encodeRecord = (owner: string, type: number, data: Buffer) => {
  const fields = Buffer.alloc(10)
  fields.writeUInt16BE(type, 0)
  fields.writeUInt16BE(1, 2)
  fields.writeUInt16BE(data.length, 8)
  return Buffer.concat([encodeName(owner), fields, data])
}

const decodeName = (query: Buffer) => {
  const labels: Array<string> = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length).toLowerCase())
    at += length + 1
  }
  return { name: labels.join("."), end: at + 5, type: query.readUInt16BE(at + 1) }
}

const reply = (entry: Entry | undefined, query: Buffer): Buffer => {
  const { name, end, type } = decodeName(query)
  const owner = entry?.cname ?? name
  const answers = [
    ...(entry?.cname === undefined ? [] : [encodeRecord(name, types.cname, encodeName(entry.cname))]),
    ...(type === types.a
      ? (entry?.a ?? []).map((address) =>
          encodeRecord(owner, type, Buffer.from(address.split(".").map(Number)))
        )
      : []),
    ...(type === types.aaaa
      ? (entry?.aaaa ?? []).map((address) => encodeRecord(owner, type, encodeIpv6(address)))
      : [])
  ]
  const code = entry === undefined ? 3 : ((type === types.a ? entry.code?.a : entry.code?.aaaa) ?? 0)
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(answers.length, 6)
  header.writeUInt32BE(0, 8)
  return Buffer.concat([header, query.subarray(12, end), ...answers])
}

/**
 * Serves the result of `find` for each query until the scope closes; an unknown name does not exist. Returns
 * `address:port`.
 */
export const answering = Effect.fn(function* (find: (name: string, type: QueryType) => Entry | undefined) {
  let isOpen = true
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => Datagram.createSocket("udp4")),
    (socket) =>
      Effect.sync(() => {
        isOpen = false
        socket.close()
      })
  )
  socket.on("message", (query, { address, port }) => {
    const { name, type } = decodeName(query)
    const entry = find(name, type === types.a ? "a" : "aaaa")
    if (entry?.silent === true) return
    const send = () => {
      if (isOpen) socket.send(reply(entry, query), port, address)
    }
    if (entry?.delay === undefined) send()
    else setTimeout(send, entry.delay)
  })
  socket.bind(0, "127.0.0.1")
  yield* Effect.promise(() => once(socket, "listening"))
  return `127.0.0.1:${socket.address().port}`
})

/** Serves `zone`. */
export const make = (zone: Zone) => answering((name) => zone[name])
