/**
 * A minimal server for many streams: one `res.write` of a prepared text per frame and stream, without authentication, log, filter
 * or backpressure. Each POST sends one frame to every stream.
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

// A burst may last longer than Node's keep-alive timeout.
server.keepAliveTimeout = 75_000
FloorProgram.serve(server)
