/**
 * A fake upstream with OpenAI's stream. The body says how many `chunks` it wants (0: until it leaves) and every how many ms
 * (`everyMs`). Each chunk has the time at which it was made, ns on the clock that all processes of the machine share.
 */
import * as http from "node:http"
import { json } from "node:stream/consumers"
import * as FloorProgram from "../../floors/FloorProgram.ts"

/** Chunks due in the same ms are written one after the other, so the work of a tick is spread. */
const tickMs = 1

interface Typing {
  readonly response: http.ServerResponse
  readonly everyMs: number
  readonly chunks: number
  made: number
  dueAt: number
}

const typing = new Set<Typing>()

const type = (one: Typing): void => {
  one.made++
  const delta = { content: String(process.hrtime.bigint()) }
  const chunk = {
    id: "c",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: null }]
  }
  one.response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  if (one.made !== one.chunks) return
  typing.delete(one)
  const last = { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }
  one.response.end(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`)
}

setInterval(() => {
  const now = performance.now()
  for (const one of typing) {
    if (one.dueAt > now) continue
    // A reader that does not keep up gets fewer chunks, not more memory.
    if (!one.response.writableNeedDrain) type(one)
    one.dueAt = Math.max(one.dueAt + one.everyMs, now)
  }
}, tickMs)

let count = 0

const server = http.createServer(async (request, response) => {
  const { chunks, everyMs } = Object(await json(request))
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.flushHeaders()
  const phase = (count++ % 20) * (everyMs / 20)
  const one: Typing = { response, chunks, everyMs, made: 0, dueAt: performance.now() + phase }
  typing.add(one)
  response.once("close", () => typing.delete(one))
})
server.keepAliveTimeout = 75_000
FloorProgram.serve(server)
