/**
 * BullMQ behind fastify: a queue with an HTTP interface, like ours. Each call is answered after Redis has stored its job. Keys and
 * inputs are not checked.
 */
import { openQueue } from "./bullmq-queue.ts"
import type { Payload } from "./load.ts"
import { run } from "./protocol.ts"

await run(async (resources) => {
  const { fastify } = await import("fastify")
  const { pid, queue } = await openQueue(resources)

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
