import * as fs from "node:fs"
import { PassThrough } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { BodyDigest } from "#src/features/media/storage/local/BodyDigest.ts"
import { HashThreads } from "#src/features/media/storage/local/HashThreads.ts"
import * as Incoming from "#src/features/media/storage/local/Incoming.ts"
import { writeBody } from "#src/features/media/storage/local/WriteBody.ts"
import * as Puts from "#test/support/src/features/media/storage/local/Puts.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Until from "#test/support/Until.ts"

/** The bytes that a client must send in 60 s. */
const leastBytes = 64 * 1024

const size = 8 * leastBytes

type Failure = Effect.Error<ReturnType<typeof Incoming.receive | typeof writeBody>>

const begin = Effect.gen(function* () {
  const path = `${yield* TempDirectory.make}/body`
  const body = new PassThrough({ highWaterMark: 4 * leastBytes })
  const options = { body, limit: size, size, contentMd5: undefined, path, isSha256Wanted: true }
  const threads = yield* HashThreads
  const fiber = yield* Effect.forkScoped(Effect.scoped(Effect.flip(Incoming.receive(threads, options))), {
    startImmediately: true
  })
  const length = () => fs.statSync(path, { throwIfNoEntry: false })?.size
  /** Returns when the bytes are in the file. */
  const send = (bytes: number) =>
    Effect.suspend(() => {
      const wanted = (length() ?? 0) + bytes
      body.write(Puts.pattern(bytes))
      return Until.holds(`${wanted} bytes in the file`, () => length() === wanted, length)
    })
  return { body, path, fiber, send }
})

const assertTimedOut = Effect.fnUntraced(function* (fiber: Fiber.Fiber<Failure, unknown>) {
  const refused = yield* Fiber.join(fiber)
  assert.strictEqual(refused._tag === "BodyRefused" && refused.reason, "timeout")
})

describe("A client", () => {
  it.effect("that is silent is dropped after 60 s, however long it took before", () =>
    Effect.gen(function* () {
      const { body, fiber, path, send } = yield* begin
      for (let round = 0; round < 5; round++) {
        yield* send(leastBytes)
        yield* TestClock.adjust("59 seconds")
        assert.isUndefined(fiber.pollUnsafe())
      }
      yield* TestClock.adjust("1 second")
      yield* assertTimedOut(fiber)
      assert.isFalse(fs.existsSync(path))
      assert.isTrue(body.isPaused())
      assert.strictEqual(body.listenerCount("data"), 0)
    }).pipe(Effect.scoped, Effect.provide(HashThreads.layer))
  )

  it.effect("that drips is dropped after 60 s with less than 64 KiB", () =>
    Effect.gen(function* () {
      const { fiber, send } = yield* begin
      for (const bytes of [1, leastBytes, 1, leastBytes - 2]) {
        yield* send(bytes)
        assert.isUndefined(fiber.pollUnsafe(), `${bytes}`)
        yield* TestClock.adjust("20 seconds")
      }
      // The first 64 KiB had arrived after 20 s; one byte of the next is missing at 80 s.
      yield* assertTimedOut(fiber)
    }).pipe(Effect.scoped, Effect.provide(HashThreads.layer))
  )

  it.effect("that is slow has 60 s for each 64 KiB, and for the end", () =>
    Effect.gen(function* () {
      const { body, fiber, send } = yield* begin
      for (let sent = 0; sent < size; sent += leastBytes / 2) {
        yield* TestClock.adjust("29 seconds")
        yield* send(leastBytes / 2)
        assert.isUndefined(fiber.pollUnsafe())
      }
      body.end()
      assert.strictEqual((yield* Effect.flip(Fiber.join(fiber))).size, size)
    }).pipe(Effect.scoped, Effect.provide(HashThreads.layer))
  )

  it.effect("that the server slows down is not dropped, however long that takes", () =>
    Effect.gen(function* () {
      const body = new PassThrough()
      const descriptor = fs.openSync(`${yield* TempDirectory.make}/body`, "wx")
      yield* Effect.addFinalizer(() => Effect.sync(() => fs.closeSync(descriptor)))
      const hashing = { behind: Number.POSITIVE_INFINITY, tell: () => {} }
      const digest: BodyDigest = {
        wrote: () => {},
        behind: () => hashing.behind,
        onProgress: (callback) => void (hashing.tell = callback),
        digest: Effect.succeed("")
      }
      const options = { body, descriptor, digests: [digest], limit: size, size: undefined }
      const fiber = yield* Effect.forkScoped(Effect.flip(writeBody(options)), { startImmediately: true })
      yield* TestClock.adjust("30 seconds")
      body.write("x")
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.isTrue(body.isPaused())
      yield* TestClock.adjust("10 minutes")
      assert.isUndefined(fiber.pollUnsafe())
      hashing.behind = 0
      hashing.tell()
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      yield* assertTimedOut(fiber)
    }).pipe(Effect.scoped)
  )

  for (const [how, leave] of [
    ["without a word", (body: PassThrough) => body.destroy()],
    ["with an error", (body: PassThrough) => body.destroy(new Error("reset"))]
  ] as const)
    it.effect(`that disconnects ${how} leaves nothing`, () =>
      Effect.gen(function* () {
        const { body, fiber, path, send } = yield* begin
        yield* send(10)
        leave(body)
        const refused = yield* Fiber.join(fiber)
        assert.strictEqual(refused._tag === "BodyRefused" && refused.reason, "broken_off")
        assert.isFalse(fs.existsSync(path))
      }).pipe(Effect.scoped, Effect.provide(HashThreads.layer))
    )

  it.effect("that disconnected before its body is read leaves nothing", () =>
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
