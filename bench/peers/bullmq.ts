/** BullMQ on Redis, which answers after fsync. */
import { closedLoop, payload, Pending, type Payload } from "./load.ts"
import { run, setting } from "./protocol.ts"
import { openQueue } from "./bullmq-queue.ts"

await run(async (resources) => {
  const { connections, mode } = setting()
  const { Worker } = await import("bullmq")

  const { connection, pid, queue } = await openQueue(resources)

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
  // Fired after Redis has confirmed the move to `completed`.
  worker.on("completed", (job) => pending.complete(job.data.id))
  await worker.waitUntilReady()

  const request = () => pending.completed((payload) => queue.add("request", payload))
  return { ready: { pids: [pid] }, measure: (seconds) => closedLoop(connections, seconds, request) }
})
