/** The projections' thread, except that it ends at the first wake-up while the file `{filename}.crash` exists. */
import * as fs from "node:fs"
import * as workerThreads from "node:worker_threads"

const { filename } = workerThreads.workerData
const mark = `${filename}.crash`

workerThreads.parentPort?.on("message", () => {
  if (!fs.existsSync(mark)) return
  fs.rmSync(mark)
  process.exit(7)
})

await import("#projections/worker.ts")
