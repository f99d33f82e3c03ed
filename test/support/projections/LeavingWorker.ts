/** The projections' thread, which records how it ended. If it is terminated, it has no time to do that. */
import * as fs from "node:fs"
import * as workerThreads from "node:worker_threads"

const { filename } = workerThreads.workerData

process.on("exit", (code) =>
  fs.writeFileSync(
    `${filename}.left`,
    `exit code ${code}, journal removed: ${!fs.existsSync(`${filename}-wal`)}`
  )
)

// Its other open handles do not keep it alive.
setInterval(() => {}, 60_000)

await import("#projections/worker.ts")
