/** A program that takes orders on stdin, reads event streams and counts their events: lines that begin with `id: `. */
import { once } from "node:events"
import * as http from "node:http"
import * as net from "node:net"
import process from "node:process"
import * as readline from "node:readline"
import { Schema } from "effect"
import * as Reading from "./Reading.ts"

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Reading.Order))

/** Connections that are opened concurrently. */
const atOnce = 100

const mark = Buffer.from("\nid: ")
const agent = new http.Agent({ keepAlive: true })

let port = 0
let headers: Readonly<Record<string, string>> = {}
let streams = 0
let events = 0
let wanted = Infinity
let reached = () => {}

/** Rescans the last bytes of a piece with the next one, to count an event that is split between them. */
const counter = () => {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = bytes.indexOf(mark)
    let after = 0
    while (at >= 0) {
      events++
      after = at + mark.length
      at = bytes.indexOf(mark, after)
    }
    rest = bytes.subarray(Math.max(after, bytes.length - mark.length + 1))
    if (events >= wanted) reached()
  }
}

const open = async (path: string) => {
  const socket = net.connect(port, "127.0.0.1")
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${fields.join("")}\r\n`)
  const [head] = await once(socket, "data")
  if (!String(head).startsWith("HTTP/1.1 200 ")) throw new Error(`expected a stream, got ${String(head)}`)
  const count = counter()
  count(head)
  socket.on("data", count)
  socket.on("close", () => process.exit(1))
}

const post = async (path: string, body: string) => {
  const content = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
  const request = http.request({ port, agent, path, method: "POST", headers: { ...headers, ...content } })
  request.end(body)
  const [response] = await once(request, "response")
  if (response.statusCode >= 300) throw new Error(`expected a 2xx, got ${response.statusCode}`)
  response.resume()
  await once(response, "end")
}

const measure = async ({ body, burst, path, seconds }: Reading.Measure) => {
  const began = performance.now()
  const latencies: Array<number> = []
  events = 0
  while (performance.now() - began < 1_000 * seconds) {
    const start = performance.now()
    wanted = streams * burst * (latencies.length + 1)
    const all = new Promise<void>((resolve) => (reached = resolve))
    await Promise.all([all, ...Array.from({ length: burst }, () => post(path, body))])
    latencies.push(performance.now() - start)
  }
  wanted = Infinity
  const elapsedMs = performance.now() - began
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? 0
  return { _tag: "Measured", operations: events, elapsedMs, latencyMs: { p50: at(0.5), p99: at(0.99) } }
}

const obey = async (order: Reading.Order) => {
  if (order._tag === "Measure") return measure(order)
  port = order.port
  headers = order.headers
  const last = streams + order.streams
  while (streams < last) {
    const count = Math.min(atOnce, last - streams)
    await Promise.all(Array.from({ length: count }, () => open(order.path)))
    streams += count
  }
  return { _tag: "Opened", streams }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await obey(decode(line)))}\n`)
}
process.exit()
