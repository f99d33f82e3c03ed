import * as net from "node:net"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { raw } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"

const exchange = (text: string) => Effect.flatMap(TestServer.TestServer, ({ port }) => raw(port, text))

/** Expects exactly one envelope on the socket. */
const assertRawEnvelope = (answer: string, status: number): void => {
  const [head = "", body = ""] = answer.split("\r\n\r\n")
  assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `), answer)
  assert.match(head, /^content-type: application\/json/im)
  assert.hasAllKeys(JSON.parse(body), ["error", "request_id"])
}

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

const close = "Host: x\r\nConnection: close\r\n"

layer(TestServer.layer(), { excludeTestServices: true })("on the bare socket", (it) => {
  it.effect.each([
    ["no HTTP at all", "hello\r\n\r\n", 400],
    ["TLS", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc", 400],
    ["an unknown method", `BREW / HTTP/1.1\r\n${close}\r\n`, 400],
    ["no Host", "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
    ["two lengths", `POST /a/b HTTP/1.1\r\n${close}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400],
    [
      "a length and chunks",
      `POST /a/b HTTP/1.1\r\n${close}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      400
    ],
    ["a broken header", `GET /health HTTP/1.1\r\n${close}no colon\r\n\r\n`, 400],
    ["a line of 20 KiB", `GET /${"a".repeat(20_000)} HTTP/1.1\r\n${close}\r\n`, 431],
    ["headers of 20 KiB", `GET /health HTTP/1.1\r\n${close}X: ${"a".repeat(20_000)}\r\n\r\n`, 431],
    ["an expectation", `GET /health HTTP/1.1\r\n${close}Expect: tea\r\n\r\n`, 417],
    ["an invalid path", `GET /%zz HTTP/1.1\r\n${close}\r\n`, 400]
  ] as const)("%s gets an envelope", ([, request, status]) =>
    Effect.map(exchange(request), (answer) => assertRawEnvelope(answer, status))
  )

  it.effect("an upgrade is answered as a normal request", () =>
    Effect.gen(function* () {
      const answer = yield* exchange(
        "GET /health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n\r\n"
      )
      assert.match(answer, /^HTTP\/1\.1 200 /)
      assert.include(answer, '{"status":"ok"}')
    })
  )

  it.effect("requests in a row on one connection are answered in order", () =>
    Effect.gen(function* () {
      const answer = yield* exchange(
        `GET /health HTTP/1.1\r\nHost: x\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: x\r\n\r\nGET /health HTTP/1.1\r\n${close}\r\n`
      )
      assert.deepStrictEqual(
        [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
        ["200", "404", "200"]
      )
    })
  )
})

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

  it.effect("is distinguished from a complete one, whose connection stays open", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const submit = `POST /sandbox/echo HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\n${json}`
      const whole = `${submit}Content-Length: 11\r\n\r\n{"value":1}`
      const inChunks = `${submit}${chunked}\r\nb\r\n{"value":2}\r\n0\r\n\r\n`
      const answer = yield* exchange(
        `${whole}${inChunks}GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\nGET /health HTTP/1.1\r\n${close}\r\n`
      )
      assert.lengthOf([...answer.matchAll(/HTTP\/1\.1 200/g)], 4)
      assert.lengthOf([...answer.matchAll(/^connection: close/gim)], 1)
    })
  )
})

describe("slow clients", () => {
  const impatient = TestServer.layer({ limits: { headersTimeout: 50, connectionsCheckingInterval: 20 } })

  it.live("that never finish their headers are answered 408 and dropped", () =>
    Effect.map(exchange("GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: "), (answer) =>
      assertRawEnvelope(answer, 408)
    ).pipe(Effect.provide(impatient))
  )

  it.live("that never finish their body are answered 408 and dropped", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const answer = yield* exchange(
        `POST /sandbox/echo HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"value":`
      )
      assertRawEnvelope(answer, 408)
    }).pipe(Effect.provide(TestServer.layer({ bodyTimeout: "50 millis" })))
  )
})
