import type * as Http from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { ProviderHttp } from "#src/features/providers/ProviderHttp.ts"
import * as Receiver from "#test/src/kernel/outbound/Receiver.ts"

const withServer = Effect.fnUntraced(function* (answer: (response: Http.ServerResponse) => void) {
  const http = yield* ProviderHttp
  const receiver = yield* Receiver.http((_request, response) => answer(response))
  const call = { method: "GET", url: `http://127.0.0.1:${receiver.port}/`, maxBytes: 1_000 } as const
  return { http, call, receiver }
})

const text = (body: Stream.Stream<Uint8Array, unknown>) => Stream.mkString(Stream.decodeText(body))

describe("ProviderHttp.stream", () => {
  it.live("returns the parts as they arrive", () =>
    Effect.gen(function* () {
      let more: (() => void) | undefined
      const { call, http } = yield* withServer((response) => {
        response.writeHead(200, { "x-a": "b" }).write("one ")
        more = () => response.end("two")
      })
      const parts = yield* http.stream(call, ({ body, headers, status }) => {
        assert.strictEqual(status, 200)
        assert.strictEqual(headers["x-a"], "b")
        return text(Stream.tap(body, () => Effect.sync(() => more?.())))
      })
      assert.strictEqual(parts, "one two")
    }).pipe(Effect.provide(ProviderHttp.layer))
  )

  it.live("returns a whole answer like a call", () =>
    Effect.gen(function* () {
      const { call, http } = yield* withServer((response) => response.writeHead(418).end('{"a":1}'))
      const answer = yield* http.stream(call, ({ whole }) => whole)
      assert.deepStrictEqual({ status: answer.status, json: answer.json }, { status: 418, json: { a: 1 } })
    }).pipe(Effect.provide(ProviderHttp.layer))
  )

  const faults: ReadonlyArray<readonly [string, string, (response: Http.ServerResponse) => void]> = [
    ["announces too much", "too_large", (response) => response.writeHead(200, { "content-length": 1_001 })],
    ["sends too much", "too_large", (response) => response.writeHead(200).write("x".repeat(1_001))],
    [
      "is cut off in the middle",
      "connection_lost",
      (response) => response.writeHead(200).write("x", () => response.destroy())
    ],
    ["does not answer", "connection_lost", (response) => response.destroy()]
  ]
  for (const [what, reason, answer] of faults) {
    it.live(`fails with ${reason} when the provider ${what}`, () =>
      Effect.gen(function* () {
        const { call, http, receiver } = yield* withServer((response) => {
          answer(response)
          response.flushHeaders()
        })
        const failure = yield* Effect.flip(http.stream(call, ({ body }) => Stream.runDrain(body)))
        assert.strictEqual(failure.reason, reason)
        yield* Effect.timeout(receiver.closed, "5 seconds")
      }).pipe(Effect.provide(ProviderHttp.layer))
    )
  }

  it.live("ends at its deadline, also at the provider", () =>
    Effect.gen(function* () {
      const { call, http, receiver } = yield* withServer((response) => response.writeHead(200).write("x"))
      const failure = yield* Effect.flip(
        http.stream({ ...call, timeoutMs: 50 }, ({ body }) => Stream.runDrain(body))
      )
      assert.strictEqual(failure.reason, "timeout")
      yield* Effect.timeout(receiver.closed, "5 seconds")
    }).pipe(Effect.provide(ProviderHttp.layer))
  )

  it.live("closes the connection of an answer that is not fully read", () =>
    Effect.gen(function* () {
      const { call, http, receiver } = yield* withServer((response) => response.writeHead(200).write("x"))
      yield* http.stream(call, () => Effect.void)
      yield* Effect.timeout(receiver.closed, "5 seconds")
      const reading = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        http.stream(call, ({ body }) => Stream.runForEach(body, () => Deferred.succeed(reading, undefined)))
      )
      yield* Deferred.await(reading)
      yield* Fiber.interrupt(fiber)
      yield* Effect.timeout(receiver.closed, "5 seconds")
    }).pipe(Effect.provide(ProviderHttp.layer))
  )
})
