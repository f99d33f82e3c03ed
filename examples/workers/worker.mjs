// A worker for inferlog (docs/reference/provider-contract.md): WORKER_SECRET=… PORT=9000 node worker.mjs
import { createHash, timingSafeEqual } from "node:crypto"
import http from "node:http"

const runs = new Map() // by Idempotency-Key
const { PORT = "9000", WORKER_SECRET } = process.env

const hash = (text) => createHash("sha256").update(text).digest()
const isRight = (credential = "") => timingSafeEqual(hash(credential), hash(`Bearer ${WORKER_SECRET}`))

/** The model. It reports its progress and stops when `signal` is aborted. */
async function* run({ text }, signal) {
  yield { status: "running", progress: 0, logs: ["loaded"] }
  if (typeof text !== "string") throw new Error("text: expected a string")
  for (let step = 1; step <= 3 && !signal.aborted; step++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    yield { status: "running", progress: step / 3, logs: ["loaded", "working"] }
  }
  yield signal.aborted ? { status: "cancelled" } : { output: { text: text.toUpperCase() } }
}

const start = async (key, input) => {
  const job = { state: { status: "queued" }, stop: new AbortController() }
  runs.set(key, job)
  try {
    for await (const state of run(input, job.stop.signal)) job.state = state
  } catch (error) {
    job.state = { error: error.message }
  }
  setTimeout(() => runs.delete(key), 600_000).unref()
}

http
  .createServer(async (request, response) => {
    const answer = (status, body) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    if (WORKER_SECRET && !isRight(request.headers.authorization)) return answer(401, {})
    if (request.method === "POST") {
      const key = request.headers["idempotency-key"]
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
      if (!runs.has(key)) void start(key, body.input)
      return answer(202, { jobId: key })
    }
    const job = runs.get(request.url.split("/").at(-1))
    if (job === undefined) return answer(404, {})
    if (request.method === "DELETE") job.stop.abort()
    answer(200, job.state)
  })
  .listen(Number(PORT), function () {
    process.stdout.write(`listening on ${this.address().port}\n`)
  })
