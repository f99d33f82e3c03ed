import * as http from "node:http"
import type { Socket } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { NetAddress } from "effect/net"
import { TestClock } from "effect/testing"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication, presentedBy } from "#src/features/accounts/Authentication.ts"
import { Tokens } from "#src/features/accounts/tokens/Tokens.ts"
import * as EventStream from "#src/edges/http/edge/EventStream.ts"
import { EventStreams } from "#src/edges/http/edge/EventStreams.ts"
import { IsStopping } from "#src/edges/http/Stopping.ts"
import * as EventClient from "#test/support/EventClient.ts"
import { raw } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as Streams from "#test/support/src/edges/http/Streams.ts"
import * as Until from "#test/support/Until.ts"

/**
 * A server whose only route is a stream with this body: its port, the sockets of its clients, and a key.
 * @param header that has the key.
 */
const serve = Effect.fnUntraced(function* (
  body: (stream: EventStream.EventStream) => Effect.Effect<void>,
  header: "authorization" | "x-key" = "authorization"
) {
  const { key } = yield* TestServer.TestServer
  const authentication = yield* Authentication
  const accounts = yield* Accounts
  const streams = yield* EventStreams
  const { accountId } = yield* authentication.authenticate(key)
  const issued = yield* accounts.issueKey({ accountId, name: "of the stream" })
  const sockets: Array<Socket> = []
  const server = yield* Layer.build(
    NodeHttpServer.layer(() => http.createServer(), { port: 0, host: "127.0.0.1" })
  )
  yield* HttpServer.serveEffect(
    Effect.gen(function* () {
      const request = yield* HttpServerRequest
      sockets.push(NodeHttpServerRequest.toIncomingMessage(request).socket)
      const caller = yield* authentication.authenticate(request.headers[header])
      const presented = header === "authorization" ? null : presentedBy(request.headers[header])
      const opening = { request, caller, headers: {}, ...(presented !== null && { presented }) }
      return yield* streams.serve(opening, body)
    }).pipe(
      Effect.catchTag("ErrorAnswer", ({ status }) => Effect.succeed(HttpServerResponse.empty({ status }))),
      Effect.orDie
    )
  ).pipe(Effect.provide(server))
  const address = yield* Effect.map(HttpServer.HttpServer, ({ address }) => address).pipe(
    Effect.provide(server)
  )
  const port = NetAddress.isInetAddress(address) ? address.port : 0
  const authorization = `Key ${ApiKey.format(issued)}`
  const open = EventClient.open({ port, path: "/", headers: { [header]: authorization } })
  return { authorization, keyId: issued.keyId, open, port, sockets }
})

const services = EventStreams.layer.pipe(Layer.provideMerge(Streams.layer()))

/** More than the operating system buffers for a connection. */
const much = Buffer.alloc(16 * 1024 * 1024, "x")

describe("the stream of a revoked key", () => {
  it.effect("is dropped after a moment, even if its client does not read, and its body stops", () =>
    Effect.gen(function* () {
      let isGone = false
      const accounts = yield* Accounts
      const { keyId, open, sockets } = yield* serve((stream) =>
        Effect.sync(() => void stream.write(much)).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Effect.sync(() => void (isGone = true)))
        )
      )
      const client = yield* open
      yield* client.until(({ status }) => status() === 200)
      client.pause()
      yield* accounts.revokeKey(keyId)
      yield* TestClock.adjust("5 seconds")
      assert.isTrue(isGone)
      assert.isFalse(sockets[0]?.destroyed)
      yield* TestClock.adjust("5 seconds")
      assert.isTrue(sockets[0]?.destroyed)
    }).pipe(Effect.provide(services), Effect.scoped)
  )

  it.effect("carries nothing more, even if the server writes to it", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const written: Array<boolean> = []
      const { keyId, open } = yield* serve((stream) =>
        Effect.andThen(
          Effect.sync(() => stream.write("before")),
          Effect.never
        ).pipe(Effect.onInterrupt(() => Effect.sync(() => void written.push(stream.write("after")))))
      )
      const client = yield* open
      yield* client.until((client) => client.body() === "before")
      yield* accounts.revokeKey(keyId)
      yield* TestClock.adjust("5 seconds")
      yield* client.closed
      assert.strictEqual(client.body(), "before")
    }).pipe(Effect.provide(services), Effect.scoped)
  )
})

describe("the stream of a revoked key that was not in the header", () => {
  it.effect("ends as well", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { keyId, open } = yield* serve(
        (stream) =>
          Effect.andThen(
            Effect.sync(() => stream.write("before")),
            Effect.never
          ),
        "x-key"
      )
      const client = yield* open
      yield* client.until((client) => client.body() === "before")
      yield* accounts.revokeKey(keyId)
      yield* TestClock.adjust("5 seconds")
      yield* client.closed
    }).pipe(Effect.provide(services), Effect.scoped)
  )
})

describe("the stream of a token", () => {
  it.effect("ends within seconds of the token", () =>
    Effect.gen(function* () {
      const { authorization, port } = yield* serve((stream) =>
        Effect.andThen(
          Effect.sync(() => stream.write("before")),
          Effect.never
        )
      )
      const caller = yield* (yield* Authentication).authenticate(authorization)
      const { text } = yield* (yield* Tokens).make({
        caller,
        secretHash: presentedBy(authorization)?.secretHash ?? "",
        lifeMs: 60_000,
        models: null,
        request: null,
        isReadOnly: true,
        user: null,
        origins: undefined
      })
      const headers = { authorization: `Bearer ${text}` }
      const client = yield* EventClient.open({ port, path: "/", headers })
      yield* client.until((client) => client.body() === "before")
      yield* TestClock.adjust("59 seconds")
      assert.isFalse(client.isClosed())
      yield* TestClock.adjust("5 seconds")
      yield* client.closed
    }).pipe(Effect.provide(services), Effect.scoped)
  )
})

describe("while the log cannot be read for keys", () => {
  const silent = Layer.effect(
    Authentication,
    Effect.map(Authentication, (authentication) =>
      Authentication.of({ ...authentication, recognize: () => Effect.never })
    )
  )
  const layer = EventStreams.layer.pipe(Layer.provide(silent), Layer.provideMerge(Streams.layer()))

  it.effect("streams continue, with their comments", () =>
    Effect.gen(function* () {
      const { open } = yield* serve(() => Effect.never)
      const client = yield* open
      yield* client.until(({ status }) => status() === 200)
      for (const comments of [1, 2, 3]) {
        yield* TestClock.adjust("15 seconds")
        yield* client.until((client) => client.body() === ": keep-alive\n\n".repeat(comments))
      }
      assert.isFalse(client.isClosed())
    }).pipe(Effect.provide(layer), Effect.scoped)
  )
})

describe("a server that stops", () => {
  const layer = EventStreams.layer.pipe(
    Layer.provide(Layer.succeed(IsStopping, () => true)),
    Layer.provideMerge(Streams.layer())
  )

  it.effect("opens no stream for a client that was waiting", () =>
    Effect.gen(function* () {
      const { open } = yield* serve(() => Effect.never)
      const client = yield* open
      yield* client.until(({ status }) => status() === 503)
    }).pipe(Effect.provide(layer), Effect.scoped)
  )
})

describe("a stream behind another answer on its connection", () => {
  it.effect("is rejected after a moment, and nothing is stored for it", () =>
    Effect.gen(function* () {
      let opened = 0
      const { authorization, port, sockets } = yield* serve((stream) =>
        Effect.sync(() => {
          opened++
          stream.write("one")
        }).pipe(Effect.andThen(Effect.sleep("3 seconds")))
      )
      const ask = `GET / HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`
      const reply = yield* Effect.forkChild(raw(port, ask.repeat(2)), { startImmediately: true })
      yield* Until.holds(
        "two requests",
        () => sockets.length === 2,
        () => sockets.length
      )
      yield* TestClock.adjust("1 second")
      yield* TestClock.adjust("3 seconds")
      assert.match(yield* Fiber.join(reply), /one$/)
      assert.strictEqual(opened, 1)
    }).pipe(Effect.provide(services), Effect.scoped)
  )
})

describe("an event stream that waits for its connection", () => {
  /** The unsent answers to two requests on one connection. */
  const answers = Effect.gen(function* () {
    const server = http.createServer()
    const both: Array<http.ServerResponse> = []
    server.on("request", (_request, response) => void both.push(response))
    const port = yield* Effect.acquireRelease(
      Effect.callback<number>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(Object(server.address()).port)))
      }),
      () => Effect.sync(() => void server.close().closeAllConnections())
    )
    const ask = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    const reply = yield* Effect.forkChild(raw(port, ask.repeat(2)), { startImmediately: true })
    yield* Until.holds(
      "two requests",
      () => both.length === 2,
      () => both.length
    )
    const [first, second] = both
    assert.isDefined(first)
    assert.isDefined(second)
    return { first, reply, second }
  })

  it.effect("ignores everything after its end without errors", () =>
    Effect.gen(function* () {
      const { first, reply, second } = yield* answers
      const errors: Array<unknown> = []
      second.prependListener("error", (error) => errors.push(error))
      const stream = EventStream.open(second, {})
      assert.isTrue(stream.write("before"))
      stream.end()
      stream.end()
      stream.keepAlive()
      assert.isFalse(stream.write("after"))
      const ready = yield* Effect.forkChild(stream.ready, { startImmediately: true })
      second.emit("drain")
      first.end("first")
      assert.match(yield* Fiber.join(reply), /first.*before$/s)
      assert.deepStrictEqual(errors, [])
      assert.isUndefined(ready.pollUnsafe())
      yield* Fiber.interrupt(ready)
    }).pipe(Effect.scoped)
  )

  it.effect("is dropped on any write error of Node", () =>
    Effect.gen(function* () {
      const { reply, second } = yield* answers
      EventStream.open(second, {})
      second.emit("error", new Error("write after end"))
      assert.isTrue(second.req.socket.destroyed)
      yield* Fiber.join(reply)
    }).pipe(Effect.scoped)
  )
})
