/** Reuse of connections by posts: only if the name still resolves to the address, and nothing is left to read. */
import { assert, describe, it } from "@effect/vitest"
import { Array, Duration, Effect, Exit, Layer, Ref, Scope } from "effect"
import { Buffer } from "node:buffer"
import type { Socket } from "node:net"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"

const authorities = [Receiver.authority]
const guarded = (options: OutboundGuard.GuardOptions = {}) =>
  Effect.provide(OutboundGuard.layer({ authorities, ...options }).pipe(Layer.provideMerge(SkippedTime.layer)))

/** Pauses and limits come soon. */
const soon = SkippedTime.passing("20 millis")

const urlOf = ({ port }: Receiver.Receiver, host = "receiver.example.com") => `https://${host}:${port}/`

const send = (url: string, timeout = Duration.seconds(5)) =>
  Effect.flatMap(Outbound, (outbound) =>
    outbound.post({ url, headers: {}, body: Buffer.from("{}"), timeout })
  )

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n"

/** Answers every request with the same raw text. */
const answering = (text: string) => Receiver.tls((socket) => socket.on("data", () => socket.write(text)))

/** The addresses of every name, which tests change. */
const moving = Effect.fn(function* (...addresses: ReadonlyArray<string>) {
  const now = yield* Ref.make(addresses)
  return { moveTo: (...next: ReadonlyArray<string>) => Ref.set(now, next), resolve: () => Ref.get(now) }
})

describe("Outbound.post over a reused connection", () => {
  it.live("sends several posts over one connection", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.https((_request, response) => response.end("ok"))
      yield* Effect.repeat(send(urlOf(receiver)), { times: 9 })
      assert.strictEqual(receiver.connections(), 1)
    }).pipe(guarded())
  )

  it.live("never has two requests at once on a connection", () =>
    Effect.gen(function* () {
      const underWay = new Map<Socket, number>()
      let most = 0
      const receiver = yield* Receiver.https((request, response) => {
        const { socket } = request
        underWay.set(socket, (underWay.get(socket) ?? 0) + 1)
        most = Math.max(most, underWay.get(socket) ?? 0)
        setImmediate(() => {
          underWay.set(socket, (underWay.get(socket) ?? 0) - 1)
          response.end()
        })
      })
      yield* Effect.forEach(Array.range(1, 400), () => send(urlOf(receiver)), { concurrency: 16 })
      assert.strictEqual(most, 1)
      assert.isAtMost(receiver.connections(), 16)
    }).pipe(guarded())
  )

  it.live("does not reuse a connection once the name resolves elsewhere", () =>
    Effect.gen(function* () {
      const before = yield* Receiver.https((_request, response) => response.end())
      const after = yield* Receiver.https((_request, response) => response.writeHead(201).end(), {
        host: "127.0.0.2",
        port: before.port
      })
      const { moveTo, resolve } = yield* moving("127.0.0.1")
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* send(urlOf(before))).status, 200)
        yield* moveTo("127.0.0.2")
        assert.strictEqual((yield* send(urlOf(before))).status, 201)
        yield* moveTo("127.0.0.2", "127.0.0.1")
        yield* Effect.repeat(send(urlOf(before)), { times: 3 })
        assert.deepStrictEqual([before.connections(), after.connections()], [1, 1])
      }).pipe(guarded({ resolve, admitted: ["127.0.0.1", "127.0.0.2"] }))
    })
  )

  it.live.each([
    ["a private address", ["127.0.0.2"]],
    ["a private address beside its own", ["127.0.0.1", "127.0.0.2"]]
  ] as const)(
    "rejects a name that resolves to %s, with or without an idle connection",
    ([_case, addresses]) =>
      Effect.gen(function* () {
        let requests = 0
        const receiver = yield* Receiver.https((_request, response) => {
          requests += 1
          response.end()
        })
        const canary = yield* Receiver.silent({ host: "127.0.0.2", port: receiver.port })
        const { moveTo, resolve } = yield* moving("127.0.0.1")
        yield* Effect.gen(function* () {
          yield* send(urlOf(receiver))
          yield* moveTo(...addresses)
          const error = yield* Effect.flip(send(urlOf(receiver)))
          assert.deepInclude(error, { _tag: "OutboundRefused", reason: "private_address" })
        }).pipe(guarded({ resolve }))
        assert.deepStrictEqual([requests, canary.connections()], [1, 0])
      })
  )

  it.live("separates connections of different hosts, even with one address", () =>
    Effect.gen(function* () {
      const hosts: Array<string | undefined> = []
      const receiver = yield* Receiver.https((request, response) => {
        hosts.push(request.headers.host)
        response.end()
      })
      yield* send(urlOf(receiver))
      yield* send(urlOf(receiver, "127.0.0.1"))
      assert.deepStrictEqual(hosts, [`receiver.example.com:${receiver.port}`, `127.0.0.1:${receiver.port}`])
      assert.strictEqual(receiver.connections(), 2)
    }).pipe(guarded())
  )

  it.live.each([
    ["Connection: close", `${ok}connection: close\r\n\r\n`, 200],
    ["HTTP/1.0", "HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", 200],
    ["no time to keep alive", `${ok}keep-alive: timeout=0\r\n\r\n`, 200],
    ["more than one response", `${ok}\r\nHTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n`, 200],
    ["bytes after the response", `${ok}\r\ngarbage`, 200],
    ["a body after a 204", "HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\nok", 204],
    ["an unfinished body of an error", "HTTP/1.1 500 Error\r\ncontent-length: 5\r\n\r\nab", 500],
    ["an endless body of a redirect", "HTTP/1.1 302 Found\r\nlocation: /\r\n\r\nab", 302]
  ] as const)("closes a connection after %s", ([_case, text, status]) =>
    Effect.gen(function* () {
      const receiver = yield* answering(text)
      assert.strictEqual((yield* soon(send(urlOf(receiver)))).status, status)
      const [elapsed] = yield* Effect.timed(soon(receiver.closed))
      assert.isBelow(Duration.toMillis(elapsed), 300)
      assert.strictEqual((yield* soon(send(urlOf(receiver)))).status, status)
      assert.strictEqual(receiver.connections(), 2)
    }).pipe(guarded())
  )

  it.live.each([
    ["an error with a short body", "HTTP/1.1 500 Error\r\ncontent-length: 2\r\n\r\nab", 500],
    ["a redirect", "HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n", 302],
    ["chunks", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", 200],
    ["no content", "HTTP/1.1 204 No Content\r\n\r\n", 204]
  ] as const)("reuses a connection after %s", ([_case, text, status]) =>
    Effect.gen(function* () {
      const receiver = yield* answering(text)
      assert.strictEqual((yield* send(urlOf(receiver))).status, status)
      assert.strictEqual((yield* send(urlOf(receiver))).status, status)
      assert.strictEqual(receiver.connections(), 1)
    }).pipe(guarded())
  )

  it.live("ignores an answer that arrives before its request", () =>
    Effect.gen(function* () {
      const sockets: Array<Socket> = []
      const receiver = yield* Receiver.tls((socket) => {
        sockets.push(socket)
        socket.on("data", () =>
          socket.write(sockets.length === 1 ? `${ok}\r\n` : `${ok}\r\n`.replace("200", "202"))
        )
      })
      yield* send(urlOf(receiver))
      sockets[0]?.write("HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n")
      yield* receiver.closed
      assert.strictEqual((yield* send(urlOf(receiver))).status, 202)
    }).pipe(guarded())
  )

  it.live("replaces a connection that turns out closed before anything was sent", () =>
    Effect.gen(function* () {
      const sockets: Array<Socket> = []
      let requests = 0
      const receiver = yield* Receiver.tls((socket) => {
        sockets.push(socket)
        socket.on("data", () => {
          requests += 1
          socket.write(`${ok}\r\n`)
        })
      })
      const url = urlOf(receiver, "127.0.0.1")
      yield* send(url)
      // The next post takes the connection before this is noticed.
      sockets[0]?.destroy()
      assert.strictEqual((yield* send(url)).status, 200)
      assert.deepStrictEqual([requests, receiver.connections()], [2, 2])
    }).pipe(guarded())
  )

  it.live("never repeats a post that was sent over a reused connection", () =>
    Effect.gen(function* () {
      let requests = 0
      const receiver = yield* Receiver.https((_request, response) => {
        requests += 1
        if (requests === 1) response.end()
        else response.socket?.destroy()
      })
      yield* send(urlOf(receiver))
      const error = yield* Effect.flip(send(urlOf(receiver)))
      assert.deepInclude(error, { _tag: "OutboundError", reason: "connection_failed" })
      assert.deepStrictEqual([requests, receiver.connections()], [2, 1])
    }).pipe(guarded())
  )

  it.live("ends a post over a reused connection by its deadline, and closes the connection", () =>
    Effect.gen(function* () {
      let requests = 0
      const receiver = yield* Receiver.https((_request, response) => {
        requests += 1
        if (requests === 1) response.end()
      })
      yield* send(urlOf(receiver))
      const error = yield* Effect.flip(soon(send(urlOf(receiver), Duration.millis(200))))
      assert.deepInclude(error, { _tag: "OutboundError", reason: "timeout" })
      yield* receiver.closed
      assert.deepStrictEqual([requests, receiver.connections()], [2, 1])
    }).pipe(guarded())
  )

  it.live("closes idle connections when the program stops", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.https((_request, response) => response.end())
      const scope = yield* Scope.make()
      const services = yield* Layer.buildWithScope(OutboundGuard.layer({ authorities }), scope)
      yield* Effect.provide(send(urlOf(receiver)), services)
      assert.strictEqual(receiver.open(), 1)
      yield* Scope.close(scope, Exit.void)
      const [elapsed] = yield* Effect.timed(receiver.closed)
      assert.isBelow(Duration.toMillis(elapsed), 300)
    })
  )
})
