/**
 * The least that tells many streams: one `res.write` per frame and stream, of a text that is ready. No auth, no log, no
 * filter, no backpressure. Each POST is one frame for every stream.
 */
import * as http from "node:http"
import * as KnownRequests from "../KnownRequests.ts"
import * as FloorProgram from "../FloorProgram.ts"

const streams = new Set<http.ServerResponse>()
const [{ status } = { status: "" }] = KnownRequests.all
let position = 0

const server = http.createServer((request, response) => {
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("retry: 2000\n\n")
    streams.add(response)
    response.once("close", () => streams.delete(response))
    return
  }
  request.resume().once("end", () => {
    const frame = `id: ${++position}\nevent: status\ndata: ${status}\n\n`
    for (const stream of streams) stream.write(frame)
    response.writeHead(202, { "content-length": 0 }).end()
  })
})

// A burst may take it longer than Node keeps idle connections.
server.keepAliveTimeout = 75_000
FloorProgram.serve(server)
