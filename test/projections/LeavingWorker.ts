/** The projections' thread, which leaves a word of how it ended. One that is ended from outside has no time for it. */
import * as fs from "node:fs"
import * as workerThreads from "node:worker_threads"

const { filename } = workerThreads.workerData

process.on("exit", (code) =>
  fs.writeFileSync(
    `${filename}.left`,
    `exit code ${code}, journal removed: ${!fs.existsSync(`${filename}-wal`)}`
  )
)

// What it has open beside its files does not keep it.
setInterval(() => {}, 60_000)

await import("#projections/worker.ts")
