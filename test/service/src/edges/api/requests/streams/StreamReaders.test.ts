import * as http from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as EventStream from "#src/edges/http/edge/EventStream.ts"
import { usualPace } from "#src/edges/http/edge/Reader.ts"
import * as SlowReaders from "#src/edges/http/edge/SlowReaders.ts"
import { Exchanges, type Exchange } from "#src/edges/http/edge/Exchanges.ts"
import * as EventClient from "#test/support/EventClient.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { accepted } from "#test/support/src/edges/http/Calls.ts"
import * as Streams from "#test/support/src/edges/http/Streams.ts"

/** The two ends of one stream. */
const connected = Effect.gen(function* () {
  const server = http.createServer()
  const readers = SlowReaders.make({
    pace: usualPace,
    limits: { node: Infinity, client: Infinity, file: Infinity },
    events: yield* SlowReaders.ReaderEvents
  })
  readers.observe(server)
  yield* Effect.forkScoped(SlowReaders.watching(readers))
  const opened = Effect.callback<http.ServerResponse>((resume) => {
    server.once("request", (_request, response) => resume(Effect.succeed(response)))
  })
  const port = yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(Object(server.address()).port)))
    }),
    () => Effect.sync(() => void server.close().closeAllConnections())
  )
  const waiting = yield* Effect.forkChild(opened, { startImmediately: true })
  const client = yield* EventClient.open({ port, path: "/" })
  const response = yield* Fiber.join(waiting)
  const stream = EventStream.open(response, {})
  yield* client.until(({ status }) => status() === 200)
  return { client, response, stream }
})

/** More than the operating system buffers for a connection. */
const much = Buffer.alloc(16 * 1024 * 1024, "x")

describe("a client that does not read a stream", () => {
  it.effect("is dropped after 30 s, and nothing more is buffered for it", () =>
    Effect.gen(function* () {
      const { client, response, stream } = yield* connected
      client.pause()
      assert.isFalse(stream.write(much))
      const ready = yield* Effect.forkChild(stream.ready, { startImmediately: true })
      const kept = response.writableLength
      stream.keepAlive()
      // The first look is a second after its start.
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(response.writableLength, kept)
      assert.isFalse(response.req.socket.destroyed)
      yield* TestClock.adjust("1 second")
      assert.isTrue(response.req.socket.destroyed)
      yield* Fiber.interrupt(ready)
    }).pipe(Effect.scoped)
  )

  it.effect("receives more as soon as it reads again", () =>
    Effect.gen(function* () {
      const { client, stream } = yield* connected
      client.pause()
      assert.isFalse(stream.write(much))
      client.resume()
      yield* stream.ready
      assert.isTrue(stream.write("the end"))
      yield* client.until(({ length, text }) => length() > much.length && text().endsWith("the end"))
    }).pipe(Effect.scoped)
  )
})

describe("a stream that has ended", () => {
  it.effect("sends nothing more, neither events nor comments", () =>
    Effect.gen(function* () {
      const { client, stream } = yield* connected
      client.pause()
      stream.write(much)
      stream.end()
      assert.isFalse(stream.write("late"))
      stream.keepAlive()
      client.resume()
      yield* client.closed
      assert.isTrue(client.text().endsWith("xxx"))
    }).pipe(Effect.scoped)
  )
})

/** Long enough that some of them fill a connection. */
const message = "x".repeat(60_000)
const failing = 60

describe("streams of an account", () => {
  it.live("continue while one is not read, which misses nothing afterwards", () =>
    Effect.gen(function* () {
      const slow = yield* Streams.stream()
      const fast = yield* Streams.stream()
      slow.pause()
      const ids = yield* Effect.forEach(Array.from({ length: failing }), () => accepted(), {
        concurrency: 16
      })
      yield* Effect.forEach(ids, (id) =>
        Effect.andThen(
          Lifecycle.start(id),
          Lifecycle.end(id, { _tag: "ProviderError", message, retryable: false })
        )
      )
      yield* fast.until(
        (client) => client.length() > failing * message.length && client.events().length === 3 * failing
      )
      assert.isBelow(slow.length(), fast.length())
      slow.resume()
      yield* slow.until((client) => client.length() === fast.length())
      assert.strictEqual(slow.body(), fast.body())
    }).pipe(Effect.provide(Streams.layer()), Effect.scoped)
  )

  it.effect("are all served, however many there are, and end at once with the server", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const exchanges: Array<Exchange> = []
      const observed = Layer.succeed(Exchanges, (exchange) => void exchanges.push(exchange))
      const context = yield* Layer.buildWithScope(Streams.layer().pipe(Layer.provide(observed)), scope)
      const clients = yield* Effect.forEach(Array.from({ length: 200 }), () => Streams.stream(), {
        concurrency: 20
      }).pipe(Effect.provide(context))
      const id = yield* accepted().pipe(Effect.provide(context))
      yield* Effect.forEach(clients, (client) => client.until((client) => client.events().length === 1))
      for (const client of clients) assert.deepStrictEqual(Streams.told(client), [[id, "IN_QUEUE"]])
      const opened = exchanges.filter(({ route }) => route === "/requests/stream")
      assert.deepStrictEqual(
        opened.map(({ status }) => status),
        clients.map(() => 200)
      )
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* Effect.forEach(clients, ({ closed }) => closed)
      // The server waits for none of them, because the clock stands still.
      for (const client of clients) assert.match(client.body(), /\n\n$/)
      yield* Fiber.join(closing)
    }).pipe(Effect.scoped)
  )
})
