/** A minimal server for reads: prepared texts from a map, without authentication, validation or routing. */
import * as http from "node:http"
import * as FloorProgram from "./FloorProgram.ts"
import * as KnownRequests from "./KnownRequests.ts"

const byPath = new Map(
  KnownRequests.all.flatMap(({ etag, id, retrieved, status }) => [
    [`/sandbox/echo/requests/${id}/status`, { etag, body: Buffer.from(status) }],
    [`/requests/${id}`, { etag, body: Buffer.from(retrieved) }]
  ])
)

const server = http.createServer((request, response) => {
  const found = byPath.get(request.url ?? "")
  if (found === undefined) return response.writeHead(404).end()
  const { body, etag } = found
  if (request.headers["if-none-match"] === etag) return response.writeHead(304, { etag }).end()
  return response
    .writeHead(200, { "content-type": "application/json", "content-length": body.length, etag })
    .end(body)
})

FloorProgram.serve(server)
