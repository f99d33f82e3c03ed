/** Several requests on one connection before the first is answered. */
import * as net from "node:net"
import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { Exchanges } from "#src/edges/http/edge/Exchanges.ts"
import { maxWaiting } from "#src/edges/http/edge/Pipelining.ts"
import { raw } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted } from "#test/support/src/edges/http/Calls.ts"
import * as Until from "#test/support/Until.ts"

const submit = (key: string, headers = "") => {
  const body = JSON.stringify({ value: 1 })
  return (
    `POST /sandbox/echo HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n${headers}\r\n${body}`
  )
}

const held = (key: string, id: string) =>
  `GET /sandbox/echo/requests/${id}/status?wait=60 HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\n\r\n`

const statuses = (text: string) => (text.match(/HTTP\/1.1 \d+/g) ?? []).map((line) => Number(line.slice(9)))

layer(TestServer.layer(), { excludeTestServices: true })("pipelined requests", (it) => {
  it.effect.each([
    ["garbage", "", "\u0001 no HTTP\r\n\r\n"],
    ["another request after the last", "Connection: close\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"]
  ])("%s does not take the answer of an accepted request", ([, headers, behind]) =>
    Effect.gen(function* () {
      const { key, port } = yield* TestServer.TestServer
      const reply = yield* raw(port, submit(key, headers) + behind)
      assert.deepStrictEqual(statuses(reply), [200])
    })
  )

  it.effect("garbage is dropped once all earlier requests are answered", () =>
    Effect.gen(function* () {
      const { key, port } = yield* TestServer.TestServer
      const reply = yield* raw(port, submit(key).repeat(5) + "\u0001\r\n\r\n")
      assert.deepStrictEqual(statuses(reply), [200, 200, 200, 200, 200])
    })
  )

  it.effect("CONNECT is answered", () =>
    Effect.gen(function* () {
      const { port } = yield* TestServer.TestServer
      assert.deepStrictEqual(statuses(yield* raw(port, "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n")), [404])
    })
  )
})

describe("a client that sends requests without waiting", () => {
  it.live("has a limited number of requests waiting, and all of them end with its connection", () =>
    Effect.gen(function* () {
      const ended: Array<number> = []
      const allGone = yield* Deferred.make<void>()
      const observe = Layer.succeed(Exchanges, ({ status }) => {
        ended.push(status)
        if (ended.filter((one) => one === 499).length > maxWaiting) Deferred.doneUnsafe(allGone, Effect.void)
      })
      yield* Effect.gen(function* () {
        const { key, port } = yield* TestServer.TestServer
        const id = yield* accepted()
        const socket = yield* Effect.callback<net.Socket>((resume) => {
          const socket = net.connect(port, "127.0.0.1", () => resume(Effect.succeed(socket)))
        })
        socket.on("error", () => {})
        socket.write(held(key, id).repeat(5_000))
        yield* Until.holds(
          "a 429",
          () => ended.includes(429),
          () => ended
        )
        socket.destroy()
        yield* Deferred.await(allGone)
        assert.lengthOf(
          ended.filter((status) => status === 429),
          1
        )
      }).pipe(Effect.provide(TestServer.layer().pipe(Layer.provide(observe))))
    })
  )
})
