/** A BullMQ queue with its own Redis. Both end with `resources`. */
import type { Payload } from "./load.ts"
import { startRedis } from "./redis.ts"

export const openQueue = async (resources: AsyncDisposableStack) => {
  const { Queue } = await import("bullmq")
  const { pid, socket } = await startRedis(resources)
  // One connection pipelines all operations in flight. Redis answers everything that it read in one turn after one fsync.
  const connection = { path: socket, maxRetriesPerRequest: null }
  const queue = resources.adopt(
    new Queue<Payload>("bench", { connection }),
    (queue) => void queue.disconnect()
  )
  await queue.waitUntilReady()
  return { connection, pid, queue }
}
