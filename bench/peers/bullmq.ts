/** BullMQ on a Redis that answers after fsync. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { closedLoop, payload, Pending, type Payload } from "./load.ts"
import { run, setting } from "./protocol.ts"
import { scratchDirectory, startServer } from "./servers.ts"

await run(async (resources) => {
  const { connections, mode } = setting()
  const { Queue, Worker } = await import("bullmq")

  const directory = scratchDirectory(resources)
  const socket = join(directory, "redis.sock")
  const redis = {
    port: "0",
    unixsocket: socket,
    dir: directory,
    appendonly: "yes",
    appendfsync: "always",
    save: "",
    // Spares it the rewriting of its log while another product is measured.
    "auto-aof-rewrite-percentage": "0"
  }
  const pid = await startServer(
    resources,
    {
      name: "redis-server",
      file: "redis-server",
      args: Object.entries(redis).flatMap(([key, value]) => [`--${key}`, value]),
      directory,
      remedy: "apt-get install redis-server"
    },
    async () => existsSync(socket)
  )

  // One connection pipelines whatever is in flight; Redis answers what it read in one turn after one fsync.
  const connection = { path: socket, maxRetriesPerRequest: null }
  const queue = resources.adopt(
    new Queue<Payload>("bench", { connection }),
    (queue) => void queue.disconnect()
  )
  await queue.waitUntilReady()

  if (mode === "submit") {
    let next = 0
    const submit = () => queue.add("request", payload(String(next++)))
    return { ready: { pids: [pid] }, measure: (seconds) => closedLoop(connections, seconds, submit) }
  }

  const pending = new Pending()
  const worker = resources.adopt(
    new Worker<Payload>("bench", async () => null, { connection, concurrency: connections }),
    (worker) => void worker.close(true)
  )
  // After Redis has answered the move to `completed`.
  worker.on("completed", (job) => pending.complete(job.data.id))
  await worker.waitUntilReady()

  const request = () => pending.completed((payload) => queue.add("request", payload))
  return { ready: { pids: [pid] }, measure: (seconds) => closedLoop(connections, seconds, request) }
})
