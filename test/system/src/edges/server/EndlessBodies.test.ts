/** Bodies that never end, on the bare socket. Clients get half a second in real time to read the answer. */
import * as net from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import * as TestServer from "#test/support/TestServer.ts"

/**
 * Writes `head`, then `part` repeatedly whatever the answer. Returns everything received until the connection ended.
 */
const dripping = (head: string, part: string) =>
  Effect.gen(function* () {
    const { port } = yield* TestServer.TestServer
    const socket = yield* Effect.acquireRelease(
      Effect.sync(() => net.connect({ port, host: "127.0.0.1", allowHalfOpen: true })),
      (opened) => Effect.sync(() => opened.destroy())
    )
    const chunks: Array<Buffer> = []
    socket.on("error", () => {})
    socket.on("data", (chunk) => chunks.push(chunk))
    socket.write(head)
    const drip = Effect.sync(() => socket.write(part)).pipe(Effect.repeat(Schedule.spaced("10 millis")))
    const gone = Effect.callback<void>((resume) => {
      socket.once("close", () => resume(Effect.void))
    })
    yield* Effect.raceFirst(gone, drip).pipe(Effect.timeout("5 seconds"))
    return Buffer.concat(chunks).toString("latin1")
  }).pipe(Effect.scoped)

layer(TestServer.layer(), { excludeTestServices: true })("a body that never ends", (it) => {
  const chunked = "Transfer-Encoding: chunked\r\n"
  const json = "Content-Type: application/json\r\n"
  const upgrade = "Connection: Upgrade\r\nUpgrade: h2c\r\n"

  it.effect.each([
    ["in chunks without a key", `POST /sandbox/echo HTTP/1.1\r\nHost: x\r\n${json}${chunked}`, 401],
    ["in chunks, of another type", "POST /sandbox/echo HTTP/1.1\r\nHost: x\r\n", 415],
    ["in chunks to an unknown model", `POST /sandbox/none HTTP/1.1\r\nHost: x\r\n${json}`, 404],
    ["in chunks to an unknown route", `POST /nowhere HTTP/1.1\r\nHost: x\r\n${chunked}`, 404],
    ["in chunks, of a GET", `GET /health HTTP/1.1\r\nHost: x\r\n${chunked}`, 200],
    ["in chunks, without a host", `POST /nowhere HTTP/1.1\r\n${chunked}`, 400],
    ["in chunks, with an Upgrade header", `POST /nowhere HTTP/1.1\r\nHost: x\r\n${upgrade}${chunked}`, 404],
    ["with a length", "POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n", 404]
  ] as const)("%s holds no connection", ([, head, status]) =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const withKey = head.includes("/sandbox/") && status !== 401
      const authorized = withKey ? `${head}Authorization: ${key}\r\n${chunked}` : head
      const part = head.includes("Content-Length") ? "x" : "1\r\nx\r\n"
      const answer = yield* dripping(`${authorized}\r\n`, part)
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
      assert.match(answer, /^connection: close\r$/im)
    })
  )
})
