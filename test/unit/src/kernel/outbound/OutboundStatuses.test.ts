/** Receivers that answer every status, and undefined ones. */
import { assert, describe, it } from "@effect/vitest"
import { Array, Duration, Effect, Layer } from "effect"
import { Buffer } from "node:buffer"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"

const guarded = Effect.provide(
  OutboundGuard.layer({ authorities: [Receiver.authority] }).pipe(Layer.provideMerge(SkippedTime.layer))
)

const outcome = ({ port }: Receiver.Receiver, status: number | string, timeout: Duration.Duration) =>
  Effect.flatMap(Outbound, (outbound) =>
    outbound.post({
      url: `https://receiver.example.com:${port}/${status}`,
      headers: {},
      body: Buffer.from("{}"),
      timeout
    })
  ).pipe(Effect.match({ onFailure: ({ reason }) => reason, onSuccess: ({ status }) => status }))

/** Answers with the status in the path, and names `elsewhere` in every field that a client might follow. */
const answering = (elsewhere: string) =>
  Receiver.tls((socket) =>
    socket.on("data", (data) => {
      const status = /^POST \/(\d+) /.exec(data.toString("latin1"))?.[1]
      if (status === undefined) return
      const follow = `location: ${elsewhere}\r\nrefresh: 0;url=${elsewhere}\r\nlink: <${elsewhere}>; rel=preload\r\n`
      const length = Number(status) < 200 ? "" : "content-length: 0\r\n"
      socket.write(
        `HTTP/1.1 ${status} Status\r\n${follow}alt-svc: h2="${new URL(elsewhere).host}"\r\n${length}\r\n`
      )
    })
  )

/** Sends `text` at the first bytes of a request. */
const saying = (text: string) => Receiver.tls((socket) => socket.once("data", () => socket.write(text)))

const final = "HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n"

describe("the status of a post", () => {
  it.live("is the receiver's from 200 to 599, without following its links", () =>
    Effect.gen(function* () {
      const canary = yield* Receiver.silent()
      const receiver = yield* answering(`https://127.0.0.1:${canary.port}/`)
      const statuses = Array.range(200, 599)
      const outcomes: ReadonlyArray<string | number> = yield* Effect.forEach(
        statuses,
        (status) => outcome(receiver, status, Duration.seconds(5)),
        { concurrency: 16 }
      )
      assert.deepStrictEqual<ReadonlyArray<string | number>>(outcomes, statuses)
      assert.strictEqual(canary.connections(), 0)
    }).pipe(guarded)
  )

  it.live("is missing when only an interim one arrives", () =>
    Effect.gen(function* () {
      const receiver = yield* answering("https://127.0.0.1/")
      const statuses = Array.range(100, 199)
      const all = (some: ReadonlyArray<number>) =>
        Effect.forEach(some, (status) => outcome(receiver, status, Duration.seconds(5)), { concurrency: 50 })
      const outcomes: ReadonlyArray<string | number> = [
        ...(yield* all(statuses.slice(0, 2))),
        ...(yield* SkippedTime.passing("100 millis")(all(statuses.slice(2))))
      ]
      // The client did not ask to continue or to switch protocols.
      const expected: ReadonlyArray<string | number> = statuses.map((status) =>
        status <= 101 ? "connection_failed" : "timeout"
      )
      assert.deepStrictEqual(outcomes, expected)
      yield* receiver.closed
      assert.strictEqual(receiver.connections(), 100)
    }).pipe(guarded)
  )

  it.live("is the final one, after any number of interim ones", () =>
    Effect.gen(function* () {
      const interim = "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"
      for (const text of [interim + final, interim.repeat(50) + final]) {
        assert.strictEqual(yield* outcome(yield* saying(text), 0, Duration.seconds(5)), 201)
      }
    }).pipe(guarded)
  )

  it.live.each([
    ["HTTP/1.1 99 Low\r\ncontent-length: 0\r\n\r\n", "connection_failed"],
    ["HTTP/1.1 1000 High\r\ncontent-length: 0\r\n\r\n", "connection_failed"],
    ["HTTP/1.1 -200 Negative\r\ncontent-length: 0\r\n\r\n", "connection_failed"],
    ["HTTP/2.0 200 OK\r\ncontent-length: 0\r\n\r\n", 200],
    ["HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n", 200],
    ["HTTP/1.1 600 Beyond\r\ncontent-length: 0\r\n\r\n", 600],
    ["HTTP/1.1 999 Beyond\r\ncontent-length: 0\r\n\r\n", 999]
  ] as const)("is correct for %j", ([text, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(yield* saying(text), 0, Duration.seconds(5)), expected)
    }).pipe(guarded)
  )
})
