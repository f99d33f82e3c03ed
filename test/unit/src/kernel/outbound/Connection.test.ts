import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { NetAddress } from "effect/net"
import { connect } from "#src/kernel/outbound/Connection.ts"
import type { Target } from "#src/kernel/outbound/OutboundUrl.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"

const address = NetAddress.ipFromStringUnsafe

const target = (host: string, port: number): Target => ({
  secure: false,
  origin: `http://${host}:${port}`,
  host,
  literal: Option.none(),
  port,
  path: "/"
})

/** A receiver in a separate thread that resets each accepted connection. Returns its port. */
const resetting = Effect.acquireRelease(
  Effect.sync(
    () =>
      new Worker(
        `const { parentPort } = require("node:worker_threads")
         const server = require("node:net").createServer((socket) => socket.resetAndDestroy())
         server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port))`,
        { eval: true }
      )
  ),
  (worker) => Effect.promise(() => worker.terminate())
).pipe(
  Effect.flatMap((worker) => Effect.promise(() => once(worker, "message"))),
  Effect.map(([port]) => Number(port))
)

describe("Connection", () => {
  it.live("connects to a vetted address without a look-up", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.silent()
      const socket = yield* connect(
        target("receiver.example.com", receiver.port),
        [address("127.0.0.1")],
        undefined
      )
      assert.strictEqual(socket.remoteAddress, "127.0.0.1")
    })
  )

  it.live("rejects a socket whose remote address was not vetted, and closes it", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.silent()
      // A literal host is connected to without a look-up, and so not to the pinned addresses.
      const error = yield* connect(
        target("127.0.0.1", receiver.port),
        [address("127.0.0.2")],
        undefined
      ).pipe(Effect.scoped, Effect.flip)
      assert.deepInclude(error, { _tag: "OutboundRefused", reason: "private_address" })
      yield* receiver.closed
    })
  )

  it.live("reports a reset as a failed connection, not as a private address", () =>
    Effect.gen(function* () {
      const to = target("receiver.example.com", yield* resetting)
      const ends = new Set<string>()
      // In some cases the peer is gone before its address can be read.
      for (let time = 0; time < 2_000; time++) {
        const exit = yield* Effect.result(Effect.scoped(connect(to, [address("127.0.0.1")], undefined)))
        ends.add(Result.isSuccess(exit) ? "connected" : exit.failure.reason)
      }
      assert.isTrue(ends.has("connection_failed"))
      assert.isFalse(ends.has("private_address"))
    })
  )
})
