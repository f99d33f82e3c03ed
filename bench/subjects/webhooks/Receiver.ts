/**
 * A program with webhook receivers: one answers every POST with 204, the dead ones accept connections and never answer. Prints
 * its ports; for each number on stdin it counts that many POSTs and prints when they arrived. A POST's path may end in its due
 * time. Arguments: `http` or `https`, number of dead receivers.
 */
import { once } from "node:events"
import * as http from "node:http"
import * as https from "node:https"
import * as net from "node:net"
import * as readline from "node:readline"
import * as Histogram from "../../harness/Histogram.ts"
import * as Certificate from "./Certificate.ts"
import type { Received, Receiving } from "./Receiving.ts"

const [, , scheme, dead = "0"] = process.argv

const portOf = async (server: net.Server): Promise<number> => {
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("expected a port")
  return address.port
}

const say = (document: Receiving | Received) => process.stdout.write(`${JSON.stringify(document)}\n`)

/** State of the current count. */
interface Count {
  readonly wanted: number
  readonly latencies: Histogram.Histogram
  received: number
  firstAt: number
}
let count: Count | null = null

const take = (url: string) => {
  if (count === null) return
  const now = performance.now()
  if (count.received++ === 0) count.firstAt = now
  const dueAt = Number(url.slice(url.lastIndexOf("=") + 1))
  count.latencies.record(Math.max(0, Date.now() - dueAt))
  if (count.received < count.wanted) return
  const { firstAt, latencies, received } = count
  count = null
  say({
    operations: received,
    elapsedMs: now - firstAt,
    latencyMs: { p50: latencies.percentile(0.5), p99: latencies.percentile(0.99) }
  })
}

const listener: http.RequestListener = (request, response) => {
  request.resume().once("end", () => {
    take(request.url ?? "")
    response.writeHead(204).end()
  })
}

const live =
  scheme === "https" ? https.createServer(Certificate.shown(), listener) : http.createServer(listener)

const port = await portOf(live)
const deadPorts: Array<number> = []
while (deadPorts.length < Number(dead)) {
  deadPorts.push(await portOf(net.createServer((socket) => socket.on("error", () => {}).resume())))
}

const lines = readline.createInterface({ input: process.stdin })
lines.on("line", (line) => {
  count = { wanted: Number(line), latencies: Histogram.make(), received: 0, firstAt: 0 }
})
lines.on("close", () => process.exit())
say({ port, deadPorts })
