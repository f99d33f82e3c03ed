/** The projections' thread, which receives only wake-ups. */
import * as fs from "node:fs"
import * as workerThreads from "node:worker_threads"
import { stop } from "#projections/worker/Protocol.ts"

const { parentPort: port, workerData } = workerThreads
if (port === null) throw new Error("a worker thread of tests")

process.on("exit", () => fs.writeFileSync(`${workerData.filename}.left`, ""))

const on = port.on.bind(port)
Object.assign(port, {
  on: (event: "message", listener: (message: unknown) => void) =>
    on(event, (message) => message !== stop && listener(message))
})

await import("#projections/worker.ts")
