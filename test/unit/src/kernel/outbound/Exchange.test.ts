import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result, Stream } from "effect"
import { NetAddress } from "effect/net"
import { Buffer } from "node:buffer"
import { connect } from "#src/kernel/outbound/Connection.ts"
import { exchange } from "#src/kernel/outbound/Exchange.ts"
import * as OutboundUrl from "#src/kernel/outbound/OutboundUrl.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"

const get = Effect.fn(function* (receiver: Receiver.Receiver) {
  const target = Result.getOrThrow(OutboundUrl.parse(`https://receiver.example.com:${receiver.port}/`))
  const socket = yield* connect(target, [NetAddress.ipFromStringUnsafe("127.0.0.1")], [Receiver.authority])
  return yield* exchange(socket, target, { headers: {}, maxResponseBytes: Number.MAX_SAFE_INTEGER })
})

describe("Exchange", () => {
  it.live("reads no more from an endless sender than its reader consumes", () =>
    Effect.gen(function* () {
      const chunk = Buffer.alloc(65_536)
      let accepted = 0
      const receiver = yield* Receiver.https((_request, response) => {
        const pour = () => {
          do accepted += chunk.length
          while (!response.destroyed && response.write(chunk))
        }
        response.on("drain", pour)
        pour()
      })
      const outcome = yield* Effect.gen(function* () {
        const { body } = yield* get(receiver)
        yield* Stream.runForEach(body, () => Effect.never)
      }).pipe(Effect.scoped, Effect.timeoutOption("80 millis"))
      assert.isTrue(Option.isNone(outcome))
      assert.isBelow(accepted, 16 * 1024 * 1024)
      yield* receiver.closed
    })
  )

  it.live("ends an unread response with its scope", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.https((_request, response) => response.write("ab"))
      const { status } = yield* Effect.scoped(get(receiver))
      assert.strictEqual(status, 200)
      yield* receiver.closed
    })
  )
})
