/**
 * BullMQ behind fastify: a queue that clients reach over the network, as they reach ours. Each call is answered once Redis has
 * stored its job. No key is checked and no input validated.
 */
import type { Payload } from "./load.ts"
import { run } from "./protocol.ts"
import { startRedis } from "./redis.ts"

await run(async (resources) => {
  const { Queue } = await import("bullmq")
  const { fastify } = await import("fastify")
  const { pid, socket } = await startRedis(resources)

  const connection = { path: socket, maxRetriesPerRequest: null }
  const queue = resources.adopt(
    new Queue<Payload>("bench", { connection }),
    (queue) => void queue.disconnect()
  )
  await queue.waitUntilReady()

  const app = resources.adopt(fastify({ forceCloseConnections: true }), (app) => app.close())
  const schema = {
    response: {
      200: { type: "object", properties: { status: { type: "string" }, request_id: { type: "string" } } }
    }
  }
  app.post<{ Body: Payload }>("/:owner/:model", { schema }, (request) =>
    queue.add("request", request.body).then(({ id }) => ({ status: "IN_QUEUE", request_id: id }))
  )
  const port = Number(new URL(await app.listen({ host: "127.0.0.1", port: 0 })).port)
  return { ready: { port, pids: [pid] } }
})
