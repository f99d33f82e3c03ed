import * as fs from "node:fs"
import { PassThrough } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { HashThreads } from "#src/files/local/HashThreads.ts"
import * as Incoming from "#src/files/local/Incoming.ts"
import * as Puts from "#test/src/files/local/Puts.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const begin = Effect.gen(function* () {
  const path = `${yield* TempDirectory.make}/body`
  const body = new PassThrough()
  const options = { body, limit: 1_000, size: 1_000, contentMd5: undefined, path, isSha256Wanted: true }
  const threads = yield* HashThreads
  const fiber = yield* Effect.forkScoped(Effect.scoped(Effect.flip(Incoming.receive(threads, options))), {
    startImmediately: true
  })
  const length = () => fs.statSync(path, { throwIfNoEntry: false })?.size
  /** Returns when the bytes are in the file. */
  const send = (bytes: number) =>
    Effect.promise(
      () =>
        new Promise<void>((resolve) => {
          const wanted = (length() ?? 0) + bytes
          body.write(Puts.pattern(bytes))
          const look = () => (length() === wanted ? resolve() : setImmediate(look))
          look()
        })
    )
  return { body, path, fiber, send }
})

describe("A client", () => {
  it.effect("that is silent is given up after 60 s without a byte, however long it took before", () =>
    Effect.gen(function* () {
      const { body, fiber, path, send } = yield* begin
      for (let round = 0; round < 5; round++) {
        yield* send(10)
        yield* TestClock.adjust("59 seconds")
        assert.isUndefined(fiber.pollUnsafe())
      }
      yield* TestClock.adjust("1 second")
      const refused = yield* Fiber.join(fiber)
      assert.strictEqual(refused._tag === "BodyRefused" && refused.reason, "timeout")
      assert.isFalse(fs.existsSync(path))
      assert.isTrue(body.isPaused())
      assert.strictEqual(body.listenerCount("data"), 0)
    }).pipe(Effect.scoped, Effect.provide(HashThreads.layer))
  )

  for (const [how, leave] of [
    ["without a word", (body: PassThrough) => body.destroy()],
    ["with an error", (body: PassThrough) => body.destroy(new Error("reset"))]
  ] as const)
    it.effect(`that goes away ${how} has brought nothing`, () =>
      Effect.gen(function* () {
        const { body, fiber, path, send } = yield* begin
        yield* send(10)
        leave(body)
        const refused = yield* Fiber.join(fiber)
        assert.strictEqual(refused._tag === "BodyRefused" && refused.reason, "broken_off")
        assert.isFalse(fs.existsSync(path))
      }).pipe(Effect.scoped, Effect.provide(HashThreads.layer))
    )

  it.effect("that was gone before anybody read has brought nothing", () =>
    Effect.gen(function* () {
      const body = new PassThrough()
      yield* Effect.promise(() => new Promise((resolve) => body.on("close", resolve).destroy()))
      const path = `${yield* TempDirectory.make}/body`
      const options = { body, limit: 9, size: undefined, contentMd5: undefined, path, isSha256Wanted: true }
      const refused = yield* Effect.flip(Effect.scoped(Incoming.receive(yield* HashThreads, options)))
      assert.strictEqual(refused._tag === "BodyRefused" && refused.reason, "broken_off")
    }).pipe(Effect.scoped, Effect.provide(HashThreads.layer))
  )
})
