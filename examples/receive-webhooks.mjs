// Verifies and prints the webhooks that it receives: WEBHOOK_SECRET=whsec_… node examples/receive-webhooks.mjs
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { buffer } from "node:stream/consumers"
import { verifyWebhook } from "@inferlog/client"

const say = (text) => process.stdout.write(`${text}\n`)

const port = Number(process.env.PORT ?? 9000)
const secret = process.env.WEBHOOK_SECRET
if (!secret?.startsWith("whsec_")) {
  process.stderr.write("WEBHOOK_SECRET must be the key from GET /webhooks/default/secret: whsec_…\n")
  process.exit(1)
}

/** Deliveries may arrive twice and in any order. A real receiver stores their ids for 30 days, because replays may arrive until then. */
const seen = new Set()

/** Saves the received request for `npx inferlog webhooks verify --request refused.http`. */
function save({ rawHeaders }, body) {
  const headers = rawHeaders.map((text, index) => text + (index % 2 === 0 ? ": " : "\r\n"))
  writeFileSync("refused.http", Buffer.concat([Buffer.from(`${headers.join("")}\r\n`, "latin1"), body]))
}

createServer(async (request, response) => {
  let body = Buffer.alloc(0)
  try {
    body = await buffer(request)
    const { headers } = request
    const { event, id, status, outcome } = await verifyWebhook({ body, headers, secret })
    const again = seen.has(request.headers["webhook-id"]) ? ", again" : ""
    seen.add(request.headers["webhook-id"])
    say(`${event} of ${id}: ${status}, ${outcome}${again}`)
    response.writeHead(204).end()
  } catch (error) {
    save(request, body)
    say(`refused: ${error.message}. The request is in refused.http`)
    response.writeHead(400).end()
  }
}).listen(port, "127.0.0.1", function () {
  say(`receiving webhooks at http://127.0.0.1:${this.address().port}`)
})
