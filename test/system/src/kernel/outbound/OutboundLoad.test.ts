/**
 * Many hostile receivers at once: the process survives, its memory stays flat, and nothing stays open.
 * @alone It checks times or memory against limits.
 * @cost Hundreds of slow calls at once, while others must stay fast.
 */
import { assert, describe, it } from "@effect/vitest"
import { Array, Duration, Effect, Fiber } from "effect"
import { Buffer } from "node:buffer"
import { getActiveResourcesInfo } from "node:process"
import type { TLSSocket } from "node:tls"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { gzipSync } from "node:zlib"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as Until from "#test/support/Until.ts"

const guarded = Effect.provide(OutboundGuard.layer({ authorities: [Receiver.authority] }))

const post = ({ port }: Receiver.Receiver, path: string, timeout: Duration.Duration) =>
  Effect.flatMap(Outbound, (outbound) =>
    outbound.post({
      url: `https://receiver.example.com:${port}/${path}`,
      headers: {},
      body: Buffer.from("{}"),
      timeout
    })
  )

const ok = "HTTP/1.1 200 OK\r\n"
const zeros = Buffer.alloc(65_536)
const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024))
const header = Buffer.from(`x-a: ${"a".repeat(8_000)}\r\n`)

const pour = (socket: TLSSocket, head: string, part: Buffer) => {
  socket.write(head)
  const more = () => {
    while (!socket.destroyed && socket.write(part));
  }
  socket.on("drain", more)
  more()
}

const hostilities: ReadonlyArray<(socket: TLSSocket) => void> = [
  (socket) => pour(socket, `${ok}\r\n`, zeros),
  (socket) => pour(socket, `${ok}content-encoding: gzip\r\n\r\n`, bomb),
  (socket) => pour(socket, ok, header),
  (socket) => pour(socket, "", zeros),
  (socket) => pour(socket, "HTTP/1.1 500 Error\r\n\r\n", zeros),
  (socket) => pour(socket, "", Buffer.from("HTTP/1.1 103 Early Hints\r\nx-a: 1\r\n\r\n")),
  (socket) => socket.end(`${ok}content-length: 5\r\n\r\nab`),
  (socket) => socket.destroy(),
  () => {}
]

/** Treats each connection by the first digit of its path. */
const hostile = Receiver.tls((socket) =>
  socket.once("data", (data) =>
    hostilities[Number(/^POST \/(\d)/.exec(data.toString("latin1"))?.[1])]?.(socket)
  )
)

const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

/** Bytes. */
const memory = Effect.sync(() => {
  collectGarbage()
  const { external, heapUsed } = process.memoryUsage()
  return external + heapUsed
})

const sockets = () => getActiveResourcesInfo().filter((kind) => kind.startsWith("TCPSocket")).length

describe("posts to many hostile receivers", () => {
  it.live("use little memory and leave no socket open", () =>
    Effect.gen(function* () {
      const receiver = yield* hostile
      const before = sockets()
      const round = Effect.forEach(
        Array.range(0, 179),
        (index) =>
          Effect.flip(post(receiver, String(index % hostilities.length), Duration.millis(250))).pipe(
            Effect.catch(({ status }) => Effect.succeed(status))
          ),
        { concurrency: 36, discard: true }
      ).pipe(Effect.andThen(receiver.closed))
      yield* round
      const start = yield* memory
      yield* Effect.repeat(round, { times: 2 })
      const growth = (yield* memory) - start
      assert.isBelow(growth, 8 * 1024 * 1024)
      yield* Until.until("closed sockets", Effect.sync(sockets), (open) => open === before)
    }).pipe(guarded)
  )

  it.live("do not delay a post to a receiver that answers", () =>
    Effect.gen(function* () {
      const dead = yield* hostile
      const live = yield* Receiver.https((_request, response) => response.end())
      const waiting = yield* Effect.forEach(Array.range(1, 1_000), () =>
        Effect.forkChild(Effect.flip(post(dead, "8", Duration.seconds(20))))
      )
      yield* dead.until(() => dead.open() === 1_000)
      const times = yield* Effect.forEach(Array.range(1, 200), () =>
        Effect.timed(post(live, "", Duration.seconds(5)))
      )
      const slowest = times.map(([elapsed]) => Duration.toMillis(elapsed)).toSorted((a, b) => b - a)
      assert.isBelow(slowest[2] ?? Infinity, 1_000)
      yield* Fiber.interruptAll(waiting)
      yield* dead.closed
    }).pipe(guarded)
  )
})
