import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Exit, Option, Result, Scope } from "effect"
import { NetAddress } from "effect/net"
import { connect } from "#src/kernel/outbound/Connection.ts"
import * as IdleConnections from "#src/kernel/outbound/IdleConnections.ts"
import * as OutboundUrl from "#src/kernel/outbound/OutboundUrl.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"

const loopback = NetAddress.ipFromStringUnsafe("127.0.0.1")
const elsewhere = NetAddress.ipFromStringUnsafe("127.0.0.2")

const targetOf = (url: string) => Result.getOrThrow(OutboundUrl.parse(url, { allowPrivate: true }))

/** Connects `count` times to a receiver under the name `host` and keeps all connections. */
const keepMany = Effect.fn(function* (
  kept: IdleConnections.IdleConnections,
  receiver: Receiver.Receiver,
  host: string,
  count: number
) {
  const target = targetOf(`http://${host}:${receiver.port}/`)
  const before = receiver.connections()
  const opened = yield* Effect.forEach(
    Array.range(1, count),
    () => Effect.map(connect(target, [loopback], undefined), (socket) => kept.open(socket, target)),
    { concurrency: 32 }
  )
  yield* receiver.until(() => receiver.connections() === before + count)
  opened.forEach(kept.keep)
  return { target, opened }
})

describe("IdleConnections", () => {
  it.live("lends a connection to one caller, for the same scheme, host, port and address only", () =>
    Effect.gen(function* () {
      const kept = yield* IdleConnections.make
      const receiver = yield* Receiver.silent()
      const { target, opened } = yield* keepMany(kept, receiver, "receiver", 1)
      for (const other of [
        `https://receiver:${receiver.port}/`,
        `http://receiver:${receiver.port + 1}/`,
        `http://other:${receiver.port}/`,
        `http://127.0.0.1:${receiver.port}/`
      ]) {
        assert.isTrue(Option.isNone(kept.take(targetOf(other), [loopback])), other)
      }
      assert.isTrue(Option.isNone(kept.take(target, [elsewhere])))
      const mapped = NetAddress.ipFromStringUnsafe("::ffff:127.0.0.1")
      assert.strictEqual(Option.getOrUndefined(kept.take(target, [elsewhere, mapped])), opened[0])
      assert.isTrue(Option.isNone(kept.take(target, [loopback])))
    })
  )

  it.live("keeps 64 per origin and closes further ones", () =>
    Effect.gen(function* () {
      const kept = yield* IdleConnections.make
      const receiver = yield* Receiver.silent()
      const { target, opened } = yield* keepMany(kept, receiver, "receiver", 70)
      yield* receiver.until(() => receiver.open() === 64)
      assert.strictEqual(Option.getOrUndefined(kept.take(target, [loopback])), opened[63])
    })
  )

  it.live("keeps 256 in all, and closes the oldest", () =>
    Effect.gen(function* () {
      const kept = yield* IdleConnections.make
      const receiver = yield* Receiver.silent()
      const names = ["one", "two", "three", "four", "five"]
      const targets = yield* Effect.forEach(names, (name) => keepMany(kept, receiver, name, 60))
      yield* receiver.until(() => receiver.open() === 256)
      const counts = targets.map(({ target }) => {
        let count = 0
        while (Option.isSome(kept.take(target, [loopback]))) count += 1
        return count
      })
      assert.deepStrictEqual(counts, [16, 60, 60, 60, 60])
    })
  )

  it.live("returns no connection that the peer has closed", () =>
    Effect.gen(function* () {
      const kept = yield* IdleConnections.make
      const receiver = yield* Receiver.silent()
      const { target, opened } = yield* keepMany(kept, receiver, "receiver", 2)
      opened[1]?.socket.destroy()
      assert.strictEqual(Option.getOrUndefined(kept.take(target, [loopback])), opened[0])
      assert.isTrue(Option.isNone(kept.take(target, [loopback])))
    })
  )

  it.live("closes all with its scope, and every later one", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.silent()
      const scope = yield* Scope.make()
      const kept = yield* Scope.provide(IdleConnections.make, scope)
      const { target } = yield* keepMany(kept, receiver, "receiver", 2)
      const taken = Option.getOrThrow(kept.take(target, [loopback]))
      yield* Scope.close(scope, Exit.void)
      yield* receiver.until(() => receiver.open() === 1)
      kept.keep(taken)
      yield* receiver.closed
    })
  )
})
