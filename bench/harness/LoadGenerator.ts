/**
 * A program that loads an HTTP server on this machine: one `Load` per line of stdin, one `LoadAnswer` per line of stdout. It
 * runs in its own process, so that the server keeps a core, and on raw sockets, so that the client is not the bottleneck.
 */
import * as readline from "node:readline"
import { Schema } from "effect"
import * as Histogram from "./Histogram.ts"
import { Load, type LoadResult } from "./Load.ts"
import * as LoadConnection from "./LoadConnection.ts"

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Load))

type Fail = (error: Error) => void

/** Each connection sends its next request after the previous answer. */
const drive = (connections: ReadonlyArray<LoadConnection.LoadConnection>, load: Load, fail: Fail) =>
  new Promise<LoadResult>((resolve) => {
    const { requests, seconds, status } = load
    const latencies = Histogram.make()
    const began = performance.now()
    const until = began + seconds * 1000
    let operations = 0
    let next = 0
    let busy = connections.length

    const loop = (connection: LoadConnection.LoadConnection, sentAt: number) =>
      connection.send(requests[next++ % requests.length] ?? "", (found) => {
        if (found !== status) return fail(new Error(`expected status ${status}, got ${found}`))
        const now = performance.now()
        latencies.record(now - sentAt)
        operations++
        if (now < until) return loop(connection, now)
        if (--busy > 0) return
        const latencyMs = { p50: latencies.percentile(0.5), p99: latencies.percentile(0.99) }
        resolve({ operations, elapsedMs: now - began, latencyMs })
      })

    for (const connection of connections) loop(connection, performance.now())
  })

const run = async (load: Load): Promise<LoadResult> => {
  const failure = Promise.withResolvers<never>()
  const opened: Array<LoadConnection.LoadConnection> = []
  try {
    while (opened.length < load.connections) {
      const port = load.ports[opened.length % load.ports.length] ?? load.ports[0]
      opened.push(await LoadConnection.open(port, failure.reject))
    }
    return await Promise.race([failure.promise, drive(opened, load, failure.reject)])
  } finally {
    for (const connection of opened) connection.close()
    failure.promise.catch(() => {})
  }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const answer = await run(decode(line)).catch((error: Error) => ({ error: error.message }))
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
