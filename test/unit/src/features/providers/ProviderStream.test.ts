import type * as Http from "node:http"
import * as zlib from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Fiber } from "effect"
import { ProviderHttp, type StreamedAnswer } from "#src/features/providers/ProviderHttp.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"

const withServer = Effect.fnUntraced(function* (answer: (response: Http.ServerResponse) => void) {
  const http = yield* ProviderHttp
  const receiver = yield* Receiver.http((_request, response) => answer(response))
  const call = { method: "GET", url: `http://127.0.0.1:${receiver.port}/`, maxBytes: 1_000 } as const
  return { http, call, receiver }
})

const ignored = () => true

const drain = ({ each }: StreamedAnswer) => each(ignored)

/** What is read of an answer, as one text. */
const text = ({ each }: StreamedAnswer, onPart: () => boolean = ignored) => {
  const parts: Array<Uint8Array> = []
  const take = (part: Uint8Array) => {
    parts.push(part)
    return onPart()
  }
  return Effect.map(each(take), () => Buffer.concat(parts).toString())
}

describe("ProviderHttp.stream", () => {
  it.live("returns the parts as they arrive", () =>
    Effect.gen(function* () {
      let more: (() => void) | undefined
      const { call, http } = yield* withServer((response) => {
        response.writeHead(200, { "x-a": "b" }).write("one ")
        more = () => response.end("two")
      })
      const parts = yield* http.stream(call, (answer) => {
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers["x-a"], "b")
        return text(answer, () => {
          more?.()
          return true
        })
      })
      assert.strictEqual(parts, "one two")
    }).pipe(Effect.provide(ProviderHttp.layer))
  )

  it.live.each([
    ["gzip", zlib.createGzip, zlib.constants.Z_SYNC_FLUSH],
    ["br", zlib.createBrotliCompress, zlib.constants.BROTLI_OPERATION_FLUSH]
  ] as const)("decodes parts in %s as they arrive", ([coding, makeEncoder, flush]) =>
    Effect.gen(function* () {
      let more: (() => void) | undefined
      const { call, http } = yield* withServer((response) => {
        const encoder = makeEncoder()
        response.writeHead(200, { "content-encoding": coding })
        encoder.pipe(response)
        encoder.write("one ")
        encoder.flush(flush)
        more = () => encoder.end("two")
      })
      const parts = yield* http.stream(call, (answer) =>
        text(answer, () => {
          more?.()
          more = undefined
          return true
        })
      )
      assert.strictEqual(parts, "one two")
    }).pipe(Effect.provide(ProviderHttp.layer))
  )

  it.live("ends a part that grows beyond the limit when it is decoded, or cannot be", () =>
    Effect.gen(function* () {
      const bodies = [zlib.gzipSync("0".repeat(1_000_000)), Buffer.from("no gzip")]
      const { call, http } = yield* withServer((response) => {
        response.writeHead(200, { "content-encoding": "gzip" }).end(bodies.shift())
      })
      assert.strictEqual((yield* Effect.flip(http.stream(call, drain))).reason, "too_large")
      assert.strictEqual((yield* Effect.flip(http.stream(call, drain))).reason, "undecodable")
    }).pipe(Effect.provide(ProviderHttp.layer))
  )

  it.live("keeps what arrives before it is read, and the connection for the next call", () =>
    Effect.gen(function* () {
      const { call, http, receiver } = yield* withServer((response) => response.end("x".repeat(1_000)))
      const sizeOf = http.stream(call, (answer) =>
        Effect.delay(
          Effect.map(text(answer), ({ length }) => length),
          5
        )
      )
      assert.strictEqual(yield* sizeOf, 1_000)
      // A connection is free in the next turn of the event loop.
      assert.strictEqual(yield* Effect.delay(sizeOf, 1), 1_000)
      assert.strictEqual(receiver.connections(), 1)
    }).pipe(Effect.provide(ProviderHttp.layer))
  )

  it.live("ends when no more is wanted, also at the provider", () =>
    Effect.gen(function* () {
      const { call, http, receiver } = yield* withServer((response) => response.writeHead(200).write("x"))
      assert.strictEqual(yield* http.stream(call, (answer) => text(answer, () => false)), "x")
      yield* Effect.timeout(receiver.closed, "5 seconds")
    }).pipe(Effect.provide(ProviderHttp.layer))
  )

  it.live("dies of what the reader throws", () =>
    Effect.gen(function* () {
      const { call, http, receiver } = yield* withServer((response) => response.writeHead(200).write("x"))
      const defect = new Error("wrong")
      const fails = () => {
        throw defect
      }
      const cause = yield* Effect.flip(Effect.sandbox(http.stream(call, (answer) => text(answer, fails))))
      assert.strictEqual(Cause.squash(cause), defect)
      yield* Effect.timeout(receiver.closed, "5 seconds")
    }).pipe(Effect.provide(ProviderHttp.layer))
  )

  it.live("returns a whole answer like a call", () =>
    Effect.gen(function* () {
      const { call, http } = yield* withServer((response) => response.writeHead(418).end('{"a":1}'))
      const answer = yield* http.stream(call, ({ whole }) => whole)
      assert.deepStrictEqual({ status: answer.status, json: answer.json }, { status: 418, json: { a: 1 } })
    }).pipe(Effect.provide(ProviderHttp.layer))
  )

  it.live("limits a whole answer like that of a call, also where a stream may be larger", () =>
    Effect.gen(function* () {
      const { call, http } = yield* withServer((response) => response.end(Buffer.alloc(33 * 1024 * 1024)))
      const failure = yield* Effect.flip(
        http.stream({ ...call, maxBytes: 64 * 1024 * 1024 }, ({ whole }) => whole)
      )
      assert.strictEqual(failure.reason, "too_large")
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
        const failure = yield* Effect.flip(http.stream(call, drain))
        assert.strictEqual(failure.reason, reason)
        yield* Effect.timeout(receiver.closed, "5 seconds")
      }).pipe(Effect.provide(ProviderHttp.layer))
    )
  }

  it.live("ends at its deadline, also at the provider", () =>
    Effect.gen(function* () {
      const { call, http, receiver } = yield* withServer((response) => response.writeHead(200).write("x"))
      const failure = yield* Effect.flip(http.stream({ ...call, timeoutMs: 50 }, drain))
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
        http.stream(call, (answer) => text(answer, () => Deferred.doneUnsafe(reading, Effect.void)))
      )
      yield* Deferred.await(reading)
      yield* Fiber.interrupt(fiber)
      yield* Effect.timeout(receiver.closed, "5 seconds")
      const isRead = yield* Deferred.make<void>()
      yield* http.stream(call, (answer) =>
        Effect.andThen(
          Effect.raceFirst(
            text(answer, () => Deferred.doneUnsafe(isRead, Effect.void)),
            Deferred.await(isRead)
          ),
          Effect.timeout(receiver.closed, "5 seconds")
        )
      )
    }).pipe(Effect.provide(ProviderHttp.layer))
  )
})
