import * as net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import { type EventStore, withAppend } from "#streams/EventStore.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { Stopping } from "#src/edges/http/Stopping.ts"
import { layerNoServer } from "#src/edges/server/HttpServer.ts"
import { send } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call, jsonHeaders, submit } from "#test/support/src/edges/http/Calls.ts"

const answerSize = 9 * 1024 * 1024

/** Reads the rest until the server closes the connection. */
const closed = (socket: net.Socket) =>
  Effect.callback<void>((resume) => {
    socket.once("close", () => resume(Effect.void))
    socket.resume()
  })

/** A client that reads only the beginning of a large answer. */
const stuck = Effect.fnUntraced(function* () {
  const { key, port } = yield* TestServer.TestServer
  const id = yield* accepted("sandbox/echo", { value: "x".repeat(answerSize) })
  return yield* Effect.acquireRelease(
    Effect.callback<net.Socket>((resume) => {
      const socket = net.connect(port, "127.0.0.1", () =>
        socket.write(`GET /requests/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\n\r\n`)
      )
      socket.on("error", () => {})
      socket.once("data", () => {
        socket.pause()
        resume(Effect.succeed(socket))
      })
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )
})

/** Waits for the first event of so many requests. */
const untilAccepted = (count = 1) =>
  Effect.flatMap(EventReader, (reader) =>
    reader.subscribe(GlobalPosition.beginning).pipe(
      Stream.filter(({ type }) => type === "RequestSubmitted"),
      Stream.take(count),
      Stream.runCollect
    )
  )

const chatBody = JSON.stringify({ model: "sandbox/chat", messages: [{ role: "user", content: "Hi" }] })

describe("shutdown", () => {
  it.live("ends within seconds, answers held calls with 503 and drops clients that do not read", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(TestServer.layer(), scope)
      const { key, port } = yield* TestServer.TestServer.pipe(Effect.provide(context))
      const id = yield* accepted().pipe(Effect.provide(context))
      const path = `/sandbox/echo/requests/${id}/status`
      const reader = yield* stuck().pipe(Effect.provide(context))
      const held = yield* Effect.forkChild(
        send(port, { path: `${path}?wait=60`, headers: { authorization: key } })
      )
      // A later call on a separate connection: its answer shows that the server has accepted the held one.
      yield* send(port, { path, headers: { authorization: key } })
      const [elapsed] = yield* Effect.timed(Scope.close(scope, Exit.void))
      assert.isBelow(Duration.toMillis(elapsed), 5_000)
      const reply = yield* Fiber.join(held)
      assertEnvelope(reply, 503)
      assert.strictEqual(reply.headers["retry-after"], "1")
      yield* closed(reader)
      assert.isBelow(reader.bytesRead, answerSize)
    }).pipe(Effect.scoped)
  )

  it.live("returns the id of an accepted request to a client that waits on submit", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(TestServer.layer(), scope)
      const waiting = yield* submit({ value: 1 }, { prefer: "wait=60" }).pipe(
        Effect.provide(context),
        Effect.forkChild
      )
      // The first event of a request is on the log, and the client only waits.
      yield* Effect.provide(untilAccepted(), context)
      yield* Scope.close(scope, Exit.void)
      const reply = yield* Fiber.join(waiting)
      assert.strictEqual(reply.status, 200, reply.text)
      assert.deepInclude(reply.json, { status: "IN_QUEUE" })
    }).pipe(Effect.scoped)
  )

  it.live("refuses waiting calls of OpenAI's API, and cancels what no repeated call finds", () =>
    Effect.gen(function* () {
      const cancelled: Array<string> = []
      const log = (store: EventStore["Service"]) =>
        withAppend(store, (append) =>
          Effect.tap(store.append(append), () =>
            Effect.sync(() => {
              if (append.events.some(({ type }) => type === "RequestCancelled")) cancelled.push(append.stream)
            })
          )
        )
      const scope = yield* Scope.make()
      // Only the signal, because the end of the server would interrupt calls that miss it.
      const stop = yield* Deferred.make<void>()
      const serving = layerNoServer.pipe(Layer.provide(Layer.succeed(Stopping, Deferred.await(stop))))
      const context = yield* Layer.buildWithScope(TestServer.layer({ log, serving }), scope)
      const ask = (headers: Readonly<Record<string, string>> = {}) =>
        call({
          method: "POST",
          path: "/v1/chat/completions",
          headers: { ...jsonHeaders, ...headers },
          body: chatBody
        }).pipe(Effect.provide(context), Effect.forkChild)
      const lost = yield* ask()
      const [first] = yield* Effect.provide(untilAccepted(), context)
      const kept = yield* ask({ "idempotency-key": "kept" })
      yield* Effect.provide(untilAccepted(2), context)
      yield* Deferred.succeed(stop, undefined)
      const replies = yield* Fiber.joinAll([lost, kept])
      yield* Scope.close(scope, Exit.void)
      for (const reply of replies) {
        assert.strictEqual(reply.status, 503, reply.text)
        assert.strictEqual(reply.headers["retry-after"], "1")
        assert.isUndefined(reply.headers["x-should-retry"])
        const error = { message: "The server is stopping.", type: "server_error", param: null, code: null }
        assert.deepStrictEqual(reply.json, { error })
      }
      assert.deepStrictEqual(cancelled, [String(first?.stream)])
    }).pipe(Effect.scoped)
  )
})
