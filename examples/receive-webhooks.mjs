// Prints the webhooks that it receives, after verifying them: WEBHOOK_SECRET=whsec_… node examples/receive-webhooks.mjs
import { createServer } from "node:http"
import { buffer } from "node:stream/consumers"
import { verify } from "./verify-webhook.mjs"

const port = Number(process.env.PORT ?? 9000)
/** Deliveries may come twice, and in any order. A real receiver keeps their ids for a day. */
const seen = new Set()

createServer(async (request, response) => {
  try {
    const body = await buffer(request)
    verify(process.env.WEBHOOK_SECRET ?? "", request.headers, body)
    const { event, id, status, outcome } = JSON.parse(body.toString())
    const again = seen.has(request.headers["webhook-id"]) ? ", again" : ""
    seen.add(request.headers["webhook-id"])
    console.log(`${event} of ${id}: ${status}, ${outcome}${again}`)
    response.writeHead(204).end()
  } catch (error) {
    console.log(`refused: ${error.message}`)
    response.writeHead(400).end()
  }
}).listen(port, "127.0.0.1", () => console.log(`receives webhooks at http://127.0.0.1:${port}`))
