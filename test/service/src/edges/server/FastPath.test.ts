/** The specifics of the fast path; `EqualAnswers.test.ts` shows that its answers equal the declared ones. */
import * as net from "node:net"
import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { type Exchange, Exchanges } from "#src/edges/http/edge/Exchanges.ts"
import * as HttpProbe from "#test/support/HttpProbe.ts"
import { TestServer } from "#test/support/TestServer.ts"
import * as TwoWays from "#test/support/TwoWays.ts"
import { jsonHeaders } from "#test/support/src/edges/http/Calls.ts"

const id = "rq0qXk2Ab-0Zp1aB3dE5f"
const ofRequest = `/sandbox/echo/requests/${id}`

const send = (probe: HttpProbe.Probe) =>
  Effect.gen(function* () {
    const { key } = yield* TestServer
    const { fast } = yield* TwoWays.TwoWays
    return yield* HttpProbe.send(fast, { ...probe, headers: { authorization: key, ...probe.headers } })
  })

layer(TwoWays.layer(), { excludeTestServices: true })("the fast path", (it) => {
  describe("leaves to the declared path", () => {
    it.effect.each<HttpProbe.Probe>([
      { path: `${ofRequest}/status?wait=1` },
      { path: `${ofRequest}?x=1` },
      { path: `${ofRequest}/` },
      { path: `${ofRequest}/cancel` },
      { path: `${ofRequest}/Status` },
      { path: `/sandbox/echo/requests/${encodeURIComponent("é")}` },
      { path: `/sandbox/echo/requests/${"a".repeat(65)}` },
      { path: `/Sandbox/echo/requests/${id}` },
      { path: "/requests/stream" },
      { path: `/requests/${id}1` },
      { path: `/requests/${id}?x=1` },
      { path: `/requests/${id}/events` },
      { path: `/keys/echo/requests/${id}` },
      { path: "/health" },
      { method: "HEAD", path: ofRequest },
      { method: "PUT", path: ofRequest },
      { method: "GET", path: ofRequest, headers: { "content-length": "2" }, body: "{}" },
      { method: "POST", path: "/sandbox/echo?wait=1", headers: jsonHeaders, body: "{}" },
      { method: "POST", path: "/sandbox/echo", headers: { ...jsonHeaders, prefer: "wait" }, body: "{}" },
      { method: "POST", path: "/sandbox/echo/", headers: jsonHeaders, body: "{}" },
      { method: "POST", path: "/files/echo", headers: jsonHeaders, body: "{}" },
      { method: "POST", path: `/requests/${id}`, headers: jsonHeaders, body: "{}" }
    ])("$method $path", (probe) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* send(probe)).status, TwoWays.notTaken)
      })
    )

    it.effect("requests other than HTTP/1.1", () =>
      Effect.gen(function* () {
        const { fast } = yield* TwoWays.TwoWays
        const head = `GET ${ofRequest} HTTP/1.0\r\nHost: x\r\nConnection: close`
        const reply = yield* HttpProbe.raw(fast, `${head}\r\n\r\n`)
        assert.match(reply, new RegExp(`^HTTP/1.1 ${TwoWays.notTaken} `))
      })
    )
  })

  it.effect("answers requests of one connection in order", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer
      const { fast } = yield* TwoWays.TwoWays
      const body = JSON.stringify({ value: 1 })
      const head = `Host: x\r\nAuthorization: ${key}\r\n`
      const submit = `POST /sandbox/echo HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      const read = `GET ${ofRequest}/status HTTP/1.1\r\n${head}\r\n`
      const last = `GET ${ofRequest} HTTP/1.1\r\n${head}Connection: close\r\n\r\n`
      const reply = yield* HttpProbe.raw(fast, submit + read + submit + last)
      assert.deepStrictEqual(
        reply.match(/HTTP\/1.1 \d+/g),
        [200, 404, 200, 404].map((code) => `HTTP/1.1 ${code}`)
      )
    })
  )

  it.effect("reads a body that arrives in pieces", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer
      const { fast } = yield* TwoWays.TwoWays
      const head = `POST /sandbox/echo HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\nConnection: close\r\n`
      const pieces = [
        `${head}Content-Type: application/json\r\nContent-Length: 11\r\n\r\n{"va`,
        `lue`,
        `":1}`
      ]
      const reply = yield* Effect.promise(() => inPieces(fast, pieces))
      assert.match(reply, /^HTTP\/1.1 200 /)
    })
  )
})

/** Sends each piece after the previous one has left. */
const inPieces = (port: number, pieces: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    const socket = net.connect(port, "127.0.0.1")
    socket.setNoDelay(true)
    socket.on("data", (chunk) => (text += chunk.toString()))
    socket.on("close", () => resolve(text))
    socket.on("error", reject)
    const write = ([piece, ...rest]: ReadonlyArray<string>) => {
      if (piece !== undefined) socket.write(piece, () => setImmediate(write, rest))
    }
    write(pieces)
  })

describe("a client that disconnects", () => {
  it.live("before its body has arrived is counted, and does not affect other clients", () =>
    Effect.gen(function* () {
      const gone = yield* Deferred.make<Exchange>()
      const observe = Layer.succeed(
        Exchanges,
        (exchange) => void Deferred.doneUnsafe(gone, Effect.succeed(exchange))
      )
      yield* Effect.gen(function* () {
        const { key } = yield* TestServer
        const { fast } = yield* TwoWays.TwoWays
        const socket = net.connect(fast, "127.0.0.1")
        socket.write(
          `POST /sandbox/echo HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
          () => setImmediate(() => socket.destroy())
        )
        const exchange = yield* Deferred.await(gone)
        assert.deepInclude(exchange, {
          status: 499,
          method: "POST",
          route: "/:ownerName/:modelName"
        })
        assert.strictEqual((yield* send({ path: ofRequest })).status, 404)
      }).pipe(Effect.provide(TwoWays.layer().pipe(Layer.provide(observe))))
    })
  )
})
