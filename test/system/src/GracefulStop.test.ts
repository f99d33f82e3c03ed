/**
 * Stops a server under load: accepted requests are answered, later ones are refused, and the log is closed.
 * @alone It checks times or memory against limits.
 */
import * as http from "node:http"
import * as net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Stream } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import { files } from "#streams/sqlite/LogFiles.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const clients = 32
const acknowledgedBefore = 500

interface Answer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly connection: string | undefined
  readonly body: string
}

const agent = new http.Agent({ keepAlive: true })

/** Fails without a complete answer. */
const call = (url: string, path: string, body?: unknown): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = { ...ServerProcess.authorization, "content-type": "application/json" }
    const request = http.request(url + path, { agent, headers, method: body === undefined ? "GET" : "POST" })
    request.on("error", reject)
    request.on("response", (response) => {
      let text = ""
      response.on("data", (chunk: Buffer) => (text += chunk.toString()))
      response.on("error", reject)
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers["retry-after"],
          connection: response.headers.connection,
          body: text
        })
      )
    })
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })

const idOf = ({ body }: Answer): string => String(Reflect.get(Object(JSON.parse(body)), "request_id"))

/** Submits on persistent connections until each client is refused or cannot connect. */
const load = (url: string) => {
  const acknowledged: Array<string> = []
  const refused: Array<Answer> = []
  const enough = Promise.withResolvers<void>()
  const client = async () => {
    for (;;) {
      const answer = await call(url, "/sandbox/echo", { value: 1 })
      if (answer.status !== 200) return void refused.push(answer)
      acknowledged.push(idOf(answer))
      if (acknowledged.length === acknowledgedBefore) enough.resolve()
    }
  }
  const submitting = Array.from({ length: clients }, client)
  const ended = Promise.allSettled(submitting)
  const firstEnded = Promise.race(submitting).catch(() => {})
  return { acknowledged, refused, enough: enough.promise, firstEnded, ended }
}

/** Connects without a request. `closed` resolves when the server closes the connection. */
const idleConnection = (url: string): Promise<{ readonly closed: Promise<void> }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = net.connect(Number(port), hostname)
    const closed = new Promise<void>((end) => socket.on("close", () => end()))
    socket.on("connect", () => resolve({ closed }))
    socket.on("error", reject)
    socket.resume()
  })

/** Sends a request without its last line. `finish` sends that and returns the answer. */
const unfinishedRequest = (url: string): Promise<{ readonly finish: () => Promise<string> }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = net.connect(Number(port), hostname)
    let text = ""
    const answer = new Promise<string>((end) => socket.on("close", () => end(text)))
    const finish = () => {
      socket.write("\r\n")
      return answer
    }
    socket.on("connect", () =>
      socket.write("GET /health HTTP/1.1\r\nHost: localhost\r\n", () => resolve({ finish }))
    )
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()))
    socket.on("error", reject)
  })

const submittedIds = Effect.gen(function* () {
  const reader = yield* EventReader
  const events = yield* Stream.runCollect(reader.readAll(GlobalPosition.beginning))
  return new Set(
    events
      .filter(({ type }) => type === "RequestSubmitted")
      .map(({ stream }) => stream.replace(/^[^-]*-/, ""))
  )
})

describe("a server that receives a stop signal", () => {
  it.live("exits within two seconds, with every request answered and recorded", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const port = yield* Effect.promise(ServerProcess.freePort)
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => ServerProcess.start({ dataDirectory: directory, port })),
        ({ kill }) => Effect.promise(() => kill("SIGKILL"))
      )
      const running = idOf(yield* Effect.promise(() => call(server.url, "/sandbox/slow", { seconds: 600 })))
      const held = yield* Effect.forkChild(
        Effect.promise(() => call(server.url, `/sandbox/slow/requests/${running}/status?wait=60`))
      )
      const idle = yield* Effect.promise(() => idleConnection(server.url))
      const unfinished = yield* Effect.promise(() => unfinishedRequest(server.url))
      const clients = load(server.url)
      const late = clients.firstEnded.then(unfinished.finish)
      yield* Effect.promise(() => clients.enough)

      const [elapsed, exitCode] = yield* Effect.timed(Effect.promise(() => server.kill("SIGTERM")))
      assert.strictEqual(exitCode, 0, server.output())
      assert.isBelow(Duration.toMillis(elapsed), 2_000)

      yield* Effect.promise(() => Promise.all([clients.ended, idle.closed]))
      const errorAnswer = yield* Effect.promise(() => late)
      for (const part of [/^HTTP\/1.1 503 /, /^retry-after: 1\r$/im, /^connection: close\r$/im]) {
        assert.match(errorAnswer, part)
      }
      // On a busy machine there may be none: no client can connect any more.
      for (const { connection, retryAfter, status } of clients.refused) {
        assert.deepStrictEqual([status, retryAfter, connection], [503, "1", "close"])
      }
      // It may have begun to run before the answer; either way the wait is over.
      const { status } = yield* Fiber.join(held)
      assert.include([200, 503], status)

      const log = SqliteEventReader.layer({ filename: files(directory).log })
      const ids = yield* Effect.provide(submittedIds, log)
      assert.deepStrictEqual(
        clients.acknowledged.filter((id) => !ids.has(id)),
        []
      )
      assert.isTrue(ids.has(running))
    })
  )
})
