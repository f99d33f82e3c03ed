import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { NetAddress } from "effect/net"
import { connect } from "#src/outbound/Connection.ts"
import type { Target } from "#src/outbound/OutboundUrl.ts"
import * as Receiver from "#test/src/outbound/Receiver.ts"

const address = NetAddress.ipFromStringUnsafe

const target = (host: string, port: number): Target => ({
  secure: false,
  host,
  literal: Option.none(),
  port,
  path: "/"
})

describe("Connection", () => {
  it.live("connects to a vetted address without asking for the name", () =>
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

  it.live("refuses a socket whose remote address was not vetted, and closes it", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.silent()
      // A literal host is connected to without a look-up, hence past the pinned addresses.
      const error = yield* connect(
        target("127.0.0.1", receiver.port),
        [address("127.0.0.2")],
        undefined
      ).pipe(Effect.scoped, Effect.flip)
      assert.deepInclude(error, { _tag: "OutboundRefused", reason: "private_address" })
      yield* receiver.closed
    })
  )
})
