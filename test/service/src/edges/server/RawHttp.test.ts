import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
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

layer(TestServer.layer(), { excludeTestServices: true })("a complete body", (it) => {
  const chunked = "Transfer-Encoding: chunked\r\n"
  const json = "Content-Type: application/json\r\n"

  it.effect("leaves its connection open", () =>
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
