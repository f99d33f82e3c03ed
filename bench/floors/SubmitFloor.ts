/**
 * A minimal server that accepts requests durably: one row per request, answered after the fsync, without authentication,
 * validation or billing. Arguments: the file, and `--run` to also start and complete each request with a row each.
 */
import * as http from "node:http"
import { parseArgs } from "node:util"
import * as FloorProgram from "./FloorProgram.ts"
import * as GroupCommit from "./GroupCommit.ts"
import * as Ids from "./Ids.ts"
import * as NoopRuns from "./NoopRuns.ts"

const { positionals, values } = parseArgs({ allowPositionals: true, options: { run: { type: "boolean" } } })
const log = GroupCommit.open(positionals[0] ?? "")
const runs = values.run === true ? NoopRuns.make(log) : null

const answerTo = (id: string, path: string): Buffer => {
  const url = `http://127.0.0.1:65535${path}/requests/${id}`
  return Buffer.from(
    JSON.stringify({
      status: "IN_QUEUE",
      request_id: id,
      response_url: url,
      status_url: `${url}/status`,
      cancel_url: `${url}/cancel`,
      logs: "",
      queue_position: 0
    })
  )
}

const server = http.createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const id = Ids.next()
    const data = Buffer.concat(chunks).toString()
    log.append({ stream: id, ordinal: 0, type: "RequestSubmitted", data }, () => {
      const answer = answerTo(id, request.url ?? "")
      response
        .writeHead(200, { "content-type": "application/json", "content-length": answer.length })
        .end(answer)
      runs?.submitted(id)
    })
  })
})

FloorProgram.serve(server)
