import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as Mailbox from "#streams/Mailbox.ts"

describe("Mailbox", () => {
  it.effect("runs one command at a time, in the order of arrival", () =>
    Effect.gen(function* () {
      const mailbox = Mailbox.make()
      const log: Array<string> = []
      const command = (name: string) =>
        Effect.gen(function* () {
          log.push(`${name} begins`)
          yield* Effect.yieldNow
          log.push(`${name} ends`)
        })
      yield* Effect.forEach(["a", "b", "c"], (name) => mailbox.run(() => command(name)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(log, ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"])
    })
  )

  it.effect("continues after a command that fails or dies", () =>
    Effect.gen(function* () {
      const mailbox = Mailbox.make()
      const failed = yield* Effect.exit(mailbox.run(() => Effect.fail("no")))
      const died = yield* Effect.exit(mailbox.run(() => Effect.die("bug")))
      assert.isTrue(Exit.isFailure(failed) && Exit.isFailure(died))
      assert.strictEqual(yield* mailbox.run(() => Effect.succeed(1)), 1)
    })
  )

  it.effect("does not run a command that is interrupted while it waits, and continues with the next", () =>
    Effect.gen(function* () {
      const mailbox = Mailbox.make()
      const gate = yield* Deferred.make<void>()
      let isRun = false
      const first = yield* Effect.forkChild(
        mailbox.run(() => Deferred.await(gate)),
        { startImmediately: true }
      )
      const second = yield* Effect.forkChild(
        mailbox.run(() => Effect.sync(() => (isRun = true))),
        {
          startImmediately: true
        }
      )
      const third = yield* Effect.forkChild(
        mailbox.run(() => Effect.succeed("third")),
        { startImmediately: true }
      )
      yield* Fiber.interrupt(second)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(third), "third")
      yield* Fiber.join(first)
      assert.isFalse(isRun)
    })
  )

  it.effect("passes on the turn of a command that is interrupted as its turn comes", () =>
    Effect.gen(function* () {
      const mailbox = Mailbox.make()
      const gate = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        mailbox.run(() => Deferred.await(gate)),
        { startImmediately: true }
      )
      const second = yield* Effect.forkChild(
        mailbox.run(() => Effect.never),
        { startImmediately: true }
      )
      const third = yield* Effect.forkChild(
        mailbox.run(() => Effect.succeed("third")),
        { startImmediately: true }
      )
      yield* Deferred.succeed(gate, undefined)
      second.interruptUnsafe()
      yield* Fiber.join(first)
      assert.strictEqual(yield* Fiber.join(third), "third")
    })
  )

  it.effect("finishes a begun command even if its caller is interrupted", () =>
    Effect.gen(function* () {
      const mailbox = Mailbox.make()
      const gate = yield* Deferred.make<void>()
      let isDone = false
      const command = Effect.andThen(
        Deferred.await(gate),
        Effect.sync(() => (isDone = true))
      )
      const fiber = yield* Effect.forkChild(
        mailbox.run(() => command),
        { startImmediately: true }
      )
      const interruption = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(interruption)
      assert.isTrue(isDone)
    })
  )

  it.effect("handles a queue of 100,000 commands", () =>
    Effect.gen(function* () {
      const mailbox = Mailbox.make()
      const gate = yield* Deferred.make<void>()
      let count = 0
      const first = yield* Effect.forkChild(
        mailbox.run(() => Deferred.await(gate)),
        { startImmediately: true }
      )
      const others = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 100_000 }), () => mailbox.run(() => Effect.sync(() => count++)), {
          concurrency: "unbounded",
          discard: true
        }),
        { startImmediately: true }
      )
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(first)
      yield* Fiber.join(others)
      assert.strictEqual(count, 100_000)
    })
  )
})
