/** A program that takes orders on stdin, reads outputs and finds in each chunk the time at which it was made. */
import { once } from "node:events"
import * as net from "node:net"
import process from "node:process"
import * as readline from "node:readline"
import { setTimeout as wait } from "node:timers/promises"
import { Schema } from "effect"
import * as OutputReading from "./OutputReading.ts"

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(OutputReading.Order))

/** Connections that are opened concurrently. */
const atOnce = 50
const sampled = 16
const mark = Buffer.from('"content":"')
/** Digits of a time, and of the rest that a piece may cut. */
const digits = 24

type Where = Pick<OutputReading.Order, "port" | "path" | "headers">

let chunks = 0
let latencies: Array<number> = []

const counter = () => {
  let rest: Buffer = Buffer.alloc(0)
  return (piece: Buffer) => {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    let at = bytes.indexOf(mark)
    let after = 0
    while (at >= 0 && bytes.indexOf('"', at + mark.length) > 0) {
      after = at + mark.length
      if (++chunks % sampled === 1) {
        const made = BigInt(bytes.toString("latin1", after, bytes.indexOf('"', after)))
        latencies.push(Number(process.hrtime.bigint() - made) / 1e6)
      }
      at = bytes.indexOf(mark, after)
    }
    rest = bytes.subarray(at >= 0 ? at : Math.max(after, bytes.length - mark.length - digits))
  }
}

/** Resolves with the first chunk. */
const open = async ({ headers, path, port }: Where, body: object) => {
  const text = JSON.stringify(body)
  const fields = Object.entries({
    host: "127.0.0.1",
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = net.connect(port, "127.0.0.1")
  socket.on("error", () => {})
  socket.write(`POST ${path} HTTP/1.1\r\n${fields.join("")}\r\n${text}`)
  const count = counter()
  const before = chunks
  const begun = Promise.withResolvers<void>()
  socket.on("data", (piece) => {
    count(Buffer.isBuffer(piece) ? piece : Buffer.from(piece))
    if (chunks > before) begun.resolve()
  })
  socket.on("close", () => begun.resolve())
  await begun.promise
  return socket
}

const percentiles = () => {
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

const begin = () => {
  chunks = 0
  latencies = []
  return performance.now()
}

const closeAll = (sockets: ReadonlyArray<net.Socket>) =>
  Promise.all(
    sockets.map((socket) => {
      if (socket.closed) return
      const closed = once(socket, "close")
      socket.destroy()
      return closed
    })
  )

const many = async ({ everyMs, seconds, streams, ...where }: typeof OutputReading.Many.Type) => {
  const sockets: Array<net.Socket> = []
  while (sockets.length < streams) {
    const count = Math.min(atOnce, streams - sockets.length)
    const opened = Array.from({ length: count }, () => open(where, { chunks: 0, everyMs }))
    sockets.push(...(await Promise.all(opened)))
  }
  const began = begin()
  await wait(1_000 * seconds)
  const elapsedMs = performance.now() - began
  const counted = { operations: chunks, elapsedMs, latencyMs: percentiles() }
  if (sockets.some(({ closed }) => closed)) throw new Error("a stream has ended")
  await closeAll(sockets)
  return counted
}

const first = async ({ seconds, ...where }: typeof OutputReading.First.Type) => {
  const began = begin()
  const firsts: Array<number> = []
  while (performance.now() - began < 1_000 * seconds) {
    chunks = 0
    latencies = []
    const socket = await open(where, { chunks: 2, everyMs: 1 })
    firsts.push(latencies[0] ?? Infinity)
    await closeAll([socket])
  }
  latencies = firsts
  return { operations: firsts.length, elapsedMs: performance.now() - began, latencyMs: percentiles() }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const order = decode(line)
  const counted = order._tag === "Many" ? await many(order) : await first(order)
  process.stdout.write(`${JSON.stringify(counted)}\n`)
}
process.exit()
