/** How long idle connections of posts are kept, in real time: undici keeps it. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"

const guarded = Effect.provide(OutboundGuard.layer({ authorities: [Receiver.authority] }))

const send = ({ port }: Receiver.Receiver) =>
  Effect.flatMap(Outbound, (outbound) =>
    outbound.post({
      url: `https://receiver.example.com:${port}/`,
      headers: {},
      body: Buffer.from("{}"),
      timeout: Duration.seconds(5)
    })
  )

describe("Outbound.post", () => {
  it.live("closes a connection that is idle", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.https((_request, response) => response.end("ok"))
      yield* send(receiver)
      const [idle] = yield* Effect.timed(receiver.closed)
      assert.isBelow(Duration.toMillis(idle), 1_500)
    }).pipe(guarded)
  )

  it.live("closes a connection well before the receiver's announced timeout", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.tls((socket) =>
        socket.on("data", () =>
          socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nkeep-alive: timeout=1\r\n\r\n")
        )
      )
      yield* send(receiver)
      const [idle] = yield* Effect.timed(receiver.closed)
      assert.isBelow(Duration.toMillis(idle), 900)
    }).pipe(guarded)
  )
})
