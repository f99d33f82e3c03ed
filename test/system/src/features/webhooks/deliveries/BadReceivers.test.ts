/**
 * Misbehaving receivers at the same time: each attempt ends with its error by its deadline, and others are served
 * meanwhile.
 * @alone It checks times or memory against limits.
 * @cost Every kind of bad receiver at once, until its limit of 15 s.
 */
import type { TLSSocket } from "node:tls"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Schedule } from "effect"
import * as StreamName from "#streams/StreamName.ts"
import { dripping, flooding, ok } from "#test/support/src/kernel/outbound/BadAnswers.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as LogOnDisk from "#test/support/LogOnDisk.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as WebhookReceiver from "#test/support/WebhookReceiver.ts"
import * as Client from "#test/support/src/features/webhooks/deliveries/Client.ts"
import * as LiveReceiver from "#test/support/src/features/webhooks/deliveries/LiveReceiver.ts"

/** The delay to the second attempt, ms. */
const delayMs = 5_000

/** How long an attempt may take until it is recorded, ms. */
const limitMs = 15_500

/** The most by which the server may grow, bytes. */
const memoryLimit = 150 * 1024 * 1024

interface Case {
  readonly name: string
  readonly ends: readonly [error: string | null, responseStatus: number | null]
  readonly url: Effect.Effect<string, never, Effect.Services<ReturnType<typeof Receiver.tls>>>
}

const urlOf = ({ port }: Receiver.Receiver) => `https://127.0.0.1:${port}/`

/** Runs when the first bytes of a request have arrived. */
const answering = (name: string, ends: Case["ends"], behave: (socket: TLSSocket) => void): Case => ({
  name,
  ends,
  url: Effect.map(
    Receiver.tls((socket) => socket.once("data", () => behave(socket))),
    urlOf
  )
})

const cases: ReadonlyArray<Case> = [
  answering("no answer", ["timeout", null], () => {}),
  answering("a head that drips", ["timeout", null], dripping(ok, "x-a: 1\r\n")),
  answering(
    "interim responses for ever",
    ["timeout", null],
    dripping("", "HTTP/1.1 103 Early Hints\r\n\r\n")
  ),
  answering("a body that drips", [null, 200], dripping(`${ok}content-length: 60000\r\n\r\n`, "a")),
  answering("a body that never comes", [null, 200], (socket) =>
    socket.write(`${ok}content-length: 5\r\n\r\n`)
  ),
  answering("an endless body", [null, 200], flooding(`${ok}\r\n`, Buffer.alloc(65_536))),
  answering(
    "an endless gzip bomb",
    [null, 200],
    flooding(`${ok}content-encoding: gzip\r\n\r\n`, gzipSync(Buffer.alloc(1_000_000)))
  ),
  answering("a huge announced body", [null, 200], (socket) =>
    socket.write(`${ok}content-length: 10000000000\r\n\r\n`)
  ),
  answering(
    "headers past all limits",
    ["connection_failed", null],
    flooding(ok, Buffer.alloc(65_536, "x-a: 1\r\n"))
  ),
  answering("a reset before the head", ["connection_failed", null], (socket) => socket.destroy()),
  answering("a close amid the head", ["connection_failed", null], (socket) => socket.end(`${ok}x-a`)),
  answering("a close amid the body", [null, 200], (socket) => socket.end(`${ok}content-length: 5\r\n\r\nab`)),
  answering("something else than HTTP", ["connection_failed", null], (socket) =>
    socket.write("SSH-2.0-OpenSSH_9.6\r\n")
  ),
  answering("a malformed chunk", [null, 200], (socket) =>
    socket.write(`${ok}transfer-encoding: chunked\r\n\r\nzz\r\n`)
  ),
  { name: "a TLS that stalls", ends: ["timeout", null], url: Effect.map(Receiver.silent(), urlOf) },
  {
    name: "no TLS",
    ends: ["tls_error", null],
    url: Effect.map(
      Receiver.http((_request, response) => response.end()),
      urlOf
    )
  },
  {
    name: "a certificate for another name",
    ends: ["tls_error", null],
    url: Effect.map(
      Receiver.https((_request, response) => response.end()),
      ({ port }) => `https://localhost:${port}/`
    )
  },
  {
    name: "nobody there",
    ends: ["connection_failed", null],
    url: Effect.scoped(Effect.map(Receiver.silent(), urlOf))
  }
]

/** In parallel, because both mostly wait. */
describe.concurrent("bad receivers", () => {
  it.live("each get a result within 15.5 s, and delay neither the server nor another receiver", () =>
    Effect.gen(function* () {
      const server = yield* Client.start({ dataDirectory: yield* TempDirectory.make })
      const live = yield* LiveReceiver.make(server)
      yield* live.exchange
      const before = yield* server.memory
      let peak = before
      const sample = Effect.map(server.memory, (bytes) => void (peak = Math.max(peak, bytes)))

      const submitted = yield* Effect.forEach(cases, ({ url, ...expected }) =>
        Effect.gen(function* () {
          const webhook = yield* url
          return { ...expected, id: Client.deliveryOf(yield* server.submit({ webhook })) }
        })
      )
      const loads = yield* Effect.forkChild(
        Effect.all(
          [
            Effect.repeat(Effect.forkChild(live.exchange), Schedule.spaced("100 millis")),
            Effect.repeat(sample, Schedule.spaced("250 millis"))
          ],
          { concurrency: 2 }
        )
      )
      for (const { ends, id, name } of submitted) {
        const { attemptHistory } = yield* server.until(id, Client.isTried)
        const [first] = attemptHistory
        assert.deepStrictEqual<unknown>([first?.error, first?.responseStatus], ends, name)
        assert.isAtMost(first?.durationMs ?? Infinity, limitMs, name)
      }
      yield* Fiber.interrupt(loads)
      yield* live.check(100)
      assert.isAtMost(peak - before, memoryLimit)
    })
  )

  it.live("do not delay a server that stops, and its successor delivers on schedule", () =>
    Effect.gen(function* () {
      const receiver = yield* WebhookReceiver.make((post, response) => {
        if (post.turn > 1) response.writeHead(200).end()
      })
      const dataDirectory = yield* TempDirectory.make
      const first = yield* Client.start({ dataDirectory })
      const id = Client.deliveryOf(yield* first.submit({ webhook: receiver.url() }))
      yield* receiver.until(id)

      const [elapsed, exitCode] = yield* Effect.timed(Effect.promise(() => first.kill("SIGTERM")))
      assert.strictEqual(exitCode, 0, first.output())
      assert.isBelow(Duration.toMillis(elapsed), 2_000)
      const streams = yield* Effect.provide(LogOnDisk.eventsByStream, LogOnDisk.layer(dataDirectory))
      const events = streams.get(StreamName.make("WebhookDelivery", id)) ?? []
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["DeliveryScheduled", "AttemptStarted", "AttemptLost"]
      )
      const lost = events[2]
      assert.isDefined(lost)
      const dueAt = lost.time + delayMs
      assert.deepInclude(lost.data, { attempt: 1, nextAttemptAt: dueAt })

      const second = yield* Client.start({ dataDirectory })
      assert.deepInclude(yield* second.delivery(id), {
        status: "pending",
        attempts: 1,
        lastError: "connection_failed",
        nextAttemptAt: new Date(dueAt).toISOString()
      })
      const [before, after] = yield* receiver.until(id, 2)
      assert.isTrue(after?.body.equals(before?.body ?? Buffer.alloc(0)))
      assert.isAtLeast(after?.at ?? 0, dueAt)
      assert.isAtMost(after?.at ?? 0, dueAt + 1_000)
      const { attemptHistory, attempts } = yield* second.until(id, Client.isDelivered)
      assert.strictEqual(attempts, 2)
      assert.deepStrictEqual(
        attemptHistory.map(({ durationMs, error, responseStatus }) => [
          responseStatus,
          error,
          durationMs === null
        ]),
        [
          [null, "connection_failed", true],
          [200, null, false]
        ]
      )
    })
  )
})
