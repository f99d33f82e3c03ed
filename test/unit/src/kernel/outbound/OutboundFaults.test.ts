/** Misbehaving receivers: each call ends with its error by its deadline and leaves no connection behind. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import type { Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import { gzipSync } from "node:zlib"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import { OutboundError } from "#src/kernel/outbound/OutboundError.ts"
import type { FailureReason } from "#src/kernel/outbound/OutboundError.ts"
import { dripping, flooding, ok } from "#test/support/src/kernel/outbound/BadAnswers.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"

const deadline = Duration.millis(300)
/** How far past its deadline a call may end on a busy machine, in ms. */
const tolerance = 2_000

const authorities = [Receiver.authority]
const timed = Layer.provideMerge(SkippedTime.layer)
const trusting = OutboundGuard.layer({ authorities }).pipe(timed)

/** Deadlines come soon. Receiver and caller share a thread, so that between two steps each does what it can. */
const soon = SkippedTime.passing("20 millis")

const post = (url: string, timeout = deadline) =>
  Effect.flatMap(Outbound, (outbound) =>
    outbound.post({ url, headers: {}, body: Buffer.from("{}"), timeout })
  )

/** The limit of the body ends a call before this, which the status has time to arrive in. */
const longDeadline = Duration.seconds(10)

const failureOf = (url: string) => Effect.timed(Effect.flip(post(url)))

const urlOf = ({ port }: Receiver.Receiver, host = "receiver.example.com") => `https://${host}:${port}/`

const expectFailure = Effect.fn(function* (
  receiver: Receiver.Receiver,
  reason: FailureReason,
  url = urlOf(receiver)
) {
  const failing = failureOf(url)
  const [elapsed, error] = yield* reason === "timeout" ? soon(failing) : failing
  assert.instanceOf(error, OutboundError)
  assert.strictEqual(error.reason, reason)
  assert.isBelow(Duration.toMillis(elapsed), Duration.toMillis(deadline) + tolerance)
  yield* receiver.closed
  assert.strictEqual(receiver.connections(), 1)
})

/** The status line decides. Whatever happens to the body, the call ends soon after it and the connection closes. */
const expectStatus = Effect.fn(function* (receiver: Receiver.Receiver, status: number) {
  const [elapsed, answer] = yield* soon(Effect.timed(post(urlOf(receiver), longDeadline)))
  assert.strictEqual(answer.status, status)
  assert.isBelow(Duration.toMillis(elapsed), Duration.toMillis(longDeadline) / 2)
  yield* soon(receiver.closed)
  assert.strictEqual(receiver.connections(), 1)
})

describe("a call to a hostile receiver", () => {
  it.live.each<readonly [string, FailureReason | 200, (socket: TLSSocket) => void]>([
    ["headers that never arrive", "timeout", () => {}],
    ["headers that never end", "timeout", dripping(`${ok}x-a: `, "a")],
    ["a header that drips", "timeout", dripping(ok, "x-a: 1\r\n")],
    ["a status line that drips", "timeout", dripping("HTTP/1.1 200 ", "a")],
    ["interim responses for ever", "timeout", dripping("", "HTTP/1.1 103 Early Hints\r\n\r\n")],
    [
      "a flood of interim responses",
      "timeout",
      flooding("", Buffer.from("HTTP/1.1 103 Early Hints\r\nx-a: 1\r\n\r\n".repeat(1000)))
    ],
    ["a body that never arrives", 200, (socket) => socket.write(`${ok}content-length: 5\r\n\r\n`)],
    ["a body that drips", 200, dripping(`${ok}content-length: 60000\r\n\r\n`, "a")],
    ["an endless body that drips", 200, dripping(`${ok}\r\n`, "a")],
    ["chunks that drip", 200, dripping(`${ok}transfer-encoding: chunked\r\n\r\n`, "1\r\na\r\n")],
    ["trailers that drip", 200, dripping(`${ok}transfer-encoding: chunked\r\n\r\n0\r\n`, "x-a: 1\r\n")],
    [
      "headers beyond the limit",
      "connection_failed",
      flooding(ok, Buffer.from(`x-a: ${"a".repeat(1000)}\r\n`))
    ],
    ["one header beyond the limit", "connection_failed", flooding(`${ok}x-a: `, Buffer.alloc(9000, "a"))],
    ["an endless body", 200, flooding(`${ok}\r\n`, Buffer.alloc(65_536))],
    [
      "endless chunks",
      200,
      flooding(`${ok}transfer-encoding: chunked\r\n\r\n`, Buffer.from("1000\r\n" + "a".repeat(4096) + "\r\n"))
    ],
    [
      "an endless gzip bomb",
      200,
      flooding(`${ok}content-encoding: gzip\r\n\r\n`, gzipSync(Buffer.alloc(1_000_000)))
    ],
    ["a huge announced body", 200, (socket) => socket.write(`${ok}content-length: 65537\r\n\r\n`)],
    [
      "a huge number for a length",
      "connection_failed",
      (socket) => socket.write(`${ok}content-length: 1e9\r\n\r\n`)
    ],
    [
      "a length and chunks at once",
      "connection_failed",
      (socket) => socket.write(`${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`)
    ],
    [
      "two lengths",
      "connection_failed",
      (socket) => socket.write(`${ok}content-length: 5\r\ncontent-length: 6\r\n\r\nabcdef`)
    ],
    ["a malformed header", "connection_failed", (socket) => socket.write(`${ok}a b: 1\r\n\r\n`)],
    ["a malformed status", "connection_failed", (socket) => socket.write("HTTP/1.1 2x0 OK\r\n\r\n")],
    ["a malformed chunk", 200, (socket) => socket.write(`${ok}transfer-encoding: chunked\r\n\r\nzz\r\n`)],
    ["a reset before the headers", "connection_failed", (socket) => socket.destroy()],
    ["a close before the headers", "connection_failed", (socket) => socket.end()],
    ["a close during the headers", "connection_failed", (socket) => socket.end(`${ok}x-a`)],
    ["a close during the body", 200, (socket) => socket.end(`${ok}content-length: 5\r\n\r\nab`)],
    [
      "a close during the chunks",
      200,
      (socket) => socket.end(`${ok}transfer-encoding: chunked\r\n\r\n5\r\nab`)
    ],
    ["a protocol other than HTTP", "connection_failed", (socket) => socket.write("SSH-2.0-OpenSSH_9.6\r\n")],
    ["random bytes", "connection_failed", flooding("", randomBytes(65_536))],
    [
      "an HTTP/2 preface",
      "connection_failed",
      (socket) => socket.write(Buffer.from("00000604000000000000040010000000", "hex"))
    ],
    [
      "an unrequested upgrade",
      "connection_failed",
      (socket) =>
        socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n")
    ]
  ])("ends on %s as %s", ([_case, end, behave]) =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.tls((socket) => socket.once("data", () => behave(socket)))
      yield* end === 200 ? expectStatus(receiver, end) : expectFailure(receiver, end)
    }).pipe(Effect.provide(trusting))
  )

  it.live("returns the status when the connection is reset during the body", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.https((_request, response) => {
        response.writeHead(200, { "content-length": "5" }).write("ab", () => response.socket?.destroy())
      })
      yield* expectStatus(receiver, 200)
    }).pipe(Effect.provide(trusting))
  )

  it.live("ends when TLS stalls", () =>
    Effect.gen(function* () {
      yield* expectFailure(yield* Receiver.silent(), "timeout")
    }).pipe(Effect.provide(trusting))
  )

  it.live.each<readonly [string, (socket: Socket) => void]>([
    ["when it is accepted", (socket) => socket.destroy()],
    ["during the TLS handshake", (socket) => socket.once("data", () => socket.destroy())],
    ["by a reset during the TLS handshake", (socket) => socket.once("data", () => socket.resetAndDestroy())]
  ])("ends when the connection is cut %s", ([_case, cut]) =>
    Effect.gen(function* () {
      yield* expectFailure(yield* Receiver.tcp(cut), "connection_failed")
    }).pipe(Effect.provide(trusting))
  )

  it.live("ends when the peer does not speak TLS", () =>
    Effect.gen(function* () {
      yield* expectFailure(yield* Receiver.http((_request, response) => response.end()), "tls_error")
    }).pipe(Effect.provide(trusting))
  )

  it.live("ends when the certificate is for another name", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.https((_request, response) => response.end())
      yield* expectFailure(receiver, "tls_error", urlOf(receiver, "other.example.com"))
    }).pipe(Effect.provide(trusting))
  )

  it.live("fails when the certificate is not trusted", () =>
    Effect.gen(function* () {
      yield* expectFailure(yield* Receiver.https((_request, response) => response.end()), "tls_error")
    }).pipe(Effect.provide(OutboundGuard.layer().pipe(timed)))
  )

  it.live("fails when the port is closed", () =>
    Effect.gen(function* () {
      const { port } = yield* Effect.scoped(Receiver.silent())
      const [, error] = yield* failureOf(`https://receiver.example.com:${port}/`)
      assert.strictEqual(error.reason, "connection_failed")
      assert.notInclude(`${error.message} ${JSON.stringify(error)}`, "127.0.0.1")
      assert.notInclude(`${error.message} ${JSON.stringify(error)}`, "example.com")
    }).pipe(Effect.provide(trusting))
  )

  it.live("ends as a DNS error when the name has no address", () =>
    Effect.gen(function* () {
      const [, error] = yield* failureOf("https://receiver.example.com/")
      assert.strictEqual(error.reason, "dns_error")
    }).pipe(Effect.provide(OutboundGuard.layer({ resolve: () => Effect.succeed([]) }).pipe(timed)))
  )

  it.live("ends as a DNS error when the look-up uses up the time", () =>
    Effect.gen(function* () {
      const [elapsed, error] = yield* soon(failureOf("https://receiver.example.com/"))
      assert.strictEqual(error.reason, "dns_error")
      assert.isBelow(Duration.toMillis(elapsed), Duration.toMillis(deadline) + tolerance)
    }).pipe(Effect.provide(OutboundGuard.layer({ resolve: () => Effect.never }).pipe(timed)))
  )

  it.live("subtracts the time of the look-up from the rest", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.silent()
      const [elapsed, error] = yield* soon(failureOf(urlOf(receiver)))
      assert.strictEqual(error.reason, "timeout")
      assert.isBelow(Duration.toMillis(elapsed), Duration.toMillis(deadline) + tolerance)
    }).pipe(
      Effect.provide(
        OutboundGuard.layer({
          resolve: () => Effect.delay(Effect.succeed(["127.0.0.1"]), "200 millis")
        }).pipe(timed)
      )
    )
  )

  it.live("closes its connection when it is interrupted", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.tls(flooding(`${ok}content-length: 60000\r\n\r\n`, Buffer.from("a")))
      yield* failureOf(urlOf(receiver)).pipe(Effect.timeoutOption("50 millis"))
      yield* receiver.closed
    }).pipe(Effect.provide(trusting))
  )
})
