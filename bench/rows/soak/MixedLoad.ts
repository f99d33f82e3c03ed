/**
 * A program that puts a mixed load on a server: submits, some with webhooks, polls, event streams and uploads. One `Order` per
 * line of stdin, one `Mixed` per line of stdout. It fails at the first wrong answer.
 */
import { once } from "node:events"
import * as http from "node:http"
import * as readline from "node:readline"
import { setTimeout as delay } from "node:timers/promises"
import { Schema } from "effect"
import * as Histogram from "../../harness/Histogram.ts"
import * as Mixing from "./Mixing.ts"

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Mixing.Order))
const decodeId = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ request_id: Schema.String })))
const decodeUrl = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ upload_url: Schema.String }))
)

const clients = 32
/** Turns under way at most. More mean that the server does not keep up. */
const maxUnderWay = 10_000
/** Time between looks for turns that are due, ms. */
const tickMs = 5

const pollsPerTurn = 2
/** One turn in so many has a webhook, follows its request's stream, or uploads a file. */
const webhookEvery = 10
const streamEvery = 20
const uploadEvery = 50
const recentIds = 1_000

const value = "x".repeat(288)
const file = Buffer.alloc(64 * 1024, "inferlog")

const agent = new http.Agent({ keepAlive: true, maxSockets: 256 })

interface Call {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

const run = async ({ headers, perSecond, port, seconds, webhook }: Mixing.Order): Promise<Mixing.Mixed> => {
  const submits = Histogram.make()
  const polls = Histogram.make()
  const ids: Array<string> = []
  const began = performance.now()
  let turns = 0
  let calls = 0

  /** Returns the body of a 200. */
  const call = async ({ body, headers, method, path }: Call): Promise<string> => {
    const request = http.request({ port, agent, method, path, headers })
    request.end(body)
    const [response]: Array<http.IncomingMessage> = await once(request, "response")
    if (response === undefined) throw new Error("there is no answer")
    let text = ""
    for await (const chunk of response.setEncoding("utf8")) text += String(chunk)
    calls++
    if (response.statusCode !== 200)
      throw new Error(`${method} ${path}: expected 200, got ${response.statusCode} ${text}`)
    return text
  }

  const get = (path: string) => call({ method: "GET", path, headers })
  const post = (path: string, body: object) => {
    const text = JSON.stringify(body)
    const fields = { "content-type": "application/json", "content-length": String(text.length) }
    return call({ method: "POST", path, headers: { ...headers, ...fields }, body: text })
  }

  const upload = async () => {
    const type = "application/octet-stream"
    const announced = { file_name: "soak.bin", content_type: type, size: file.length }
    const { upload_url } = decodeUrl(await post("/storage/upload/initiate", announced))
    const { pathname, search } = new URL(upload_url)
    const fields = { "content-type": type, "content-length": String(file.length) }
    await call({ method: "PUT", path: pathname + search, headers: fields, body: file })
  }

  const turn = async (number: number, dueAt: number) => {
    const hook = number % webhookEvery === 0 ? { webhook } : {}
    const { request_id: id } = decodeId(await post("/sandbox/echo", { value, ...hook }))
    submits.record(performance.now() - dueAt)
    ids[number % recentIds] = id
    for (let poll = 0; poll < pollsPerTurn; poll++) {
      const from = performance.now()
      const known = ids[(number * 7 + poll * 13) % ids.length] ?? id
      await get(`/sandbox/echo/requests/${known}/status`)
      polls.record(performance.now() - from)
    }
    if (number % streamEvery === 0) await get(`/sandbox/echo/requests/${id}/status/stream`)
    if (number % uploadEvery === 0) await upload()
    turns++
  }

  const isOver = () => performance.now() - began >= seconds * 1_000
  let number = 0

  if (perSecond === null) {
    const client = async () => {
      while (!isOver()) await turn(number++, performance.now())
    }
    await Promise.all(Array.from({ length: clients }, client))
  } else {
    const failure = Promise.withResolvers<never>()
    failure.promise.catch(() => {})
    const underWay = new Set<Promise<void>>()
    while (!isOver()) {
      const due = Math.floor(((performance.now() - began) / 1_000) * perSecond)
      while (number < due) {
        const dueAt = began + (number * 1_000) / perSecond
        const started = turn(number++, dueAt)
          .catch(failure.reject)
          .finally(() => underWay.delete(started))
        underWay.add(started)
      }
      if (underWay.size > maxUnderWay) throw new Error("the server does not keep up")
      await Promise.race([delay(tickMs), failure.promise])
    }
    await Promise.race([Promise.all(underWay), failure.promise])
  }

  const latencies = (histogram: Histogram.Histogram) => ({
    p50: histogram.percentile(0.5),
    p99: histogram.percentile(0.99)
  })
  return {
    turns,
    calls,
    elapsedMs: performance.now() - began,
    submit: latencies(submits),
    poll: latencies(polls)
  }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await run(decode(line)))}\n`)
}
