/**
 * A minimal file server: a PUT is streamed to a file and answered after its sync; a GET is streamed from it. No checks, hashes or
 * metadata. Argument: the folder.
 */
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import { pipeline } from "node:stream"
import * as FloorProgram from "../FloorProgram.ts"

const folder = process.argv[2] ?? ""

const server = http.createServer((request, response) => {
  const file = path.join(folder, path.basename(request.url ?? ""))
  const answer = (status: number) => response.writeHead(status, { "content-length": 0 }).end()
  switch (request.method) {
    case "PUT":
      return pipeline(request, fs.createWriteStream(file, { flush: true }), (error) =>
        answer(error === null || error === undefined ? 201 : 500)
      )
    case "GET":
      return fs.stat(file, (error, stats) => {
        if (error !== null) return answer(404)
        response.writeHead(200, { "content-length": stats.size })
        return pipeline(fs.createReadStream(file), response, () => {})
      })
    case "DELETE":
      return fs.unlink(file, (error) => answer(error === null ? 204 : 500))
    default:
      return answer(405)
  }
})

FloorProgram.serve(server)
