/** A plain proxy: each answer of the upstream at the port of the argument is piped to the client. It keeps nothing. */
import * as http from "node:http"
import * as FloorProgram from "../FloorProgram.ts"

const port = Number(process.argv[2])
const agent = new http.Agent({ keepAlive: true })

const server = http.createServer((request, response) => {
  const { headers, method, url: path } = request
  const asked = http.request({ port, agent, path, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  asked.on("error", () => response.destroy())
  response.on("close", () => asked.destroy())
  request.pipe(asked)
})
server.keepAliveTimeout = 75_000
FloorProgram.serve(server)
