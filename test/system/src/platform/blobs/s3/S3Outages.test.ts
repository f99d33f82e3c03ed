import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import * as S3BlobStore from "#src/platform/blobs/s3/S3BlobStore.ts"
import * as S3Programs from "#test/support/servers/S3Programs.ts"
import * as S3Server from "#test/support/servers/S3Server.ts"
import * as TcpProxy from "#test/support/servers/TcpProxy.ts"
import * as TestBucket from "#test/support/src/platform/blobs/s3/TestBucket.ts"

const MiB = 1024 * 1024

/** The store, with a proxy between it and S3. */
const behindProxy = Effect.gen(function* () {
  const server = yield* S3Server.shared
  const proxy = yield* TcpProxy.make(server.port)
  return { proxy, options: TestBucket.at(yield* TestBucket.options(), proxy.port) }
})

/** Advances the clock until it has ended. */
const passTime = Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<A, E>) {
  while (fiber.pollUnsafe() === undefined) {
    yield* TestClock.adjust("1 second")
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
  return yield* Fiber.join(fiber)
})

const all = (store: BlobStore["Service"]) => ({
  put: Effect.asVoid(store.put("a", new Uint8Array(10))),
  parts: Effect.asVoid(store.put("a", new Uint8Array(20 * MiB))),
  get: Effect.asVoid(store.get("a")),
  size: Effect.asVoid(store.size("a")),
  remove: store.remove("a"),
  list: Stream.runDrain(store.list("a"))
})

describe.skipIf(S3Programs.isMissing)(S3Programs.named("S3BlobStore"), () => {
  it.live("fails in every operation, within seconds, when S3 is gone", () =>
    Effect.gen(function* () {
      const server = yield* S3Server.make
      const options = { ...(yield* TestBucket.options()), bucket: yield* S3Server.newBucket(server) }
      yield* Effect.gen(function* () {
        const store = yield* BlobStore
        yield* store.put("a", new Uint8Array(10))
        const blob = yield* store.get("a")
        yield* server.kill
        for (const [name, operation] of Object.entries(all(store))) {
          const failed = yield* Effect.flip(Effect.timeout(operation, "10 seconds"))
          assert.instanceOf(failed, BlobStoreError, name)
          assert.match(failed.message, /^could not .+: S3 cannot be reached$/, name)
        }
        assert.instanceOf(yield* Effect.flip(Stream.runDrain(blob?.body ?? Stream.empty)), BlobStoreError)
      }).pipe(Effect.provide(S3BlobStore.layer(TestBucket.at(options, server.port))))
    }).pipe(Effect.scoped)
  )

  it.effect("gives up a request that S3 never answers", () =>
    Effect.gen(function* () {
      const { options, proxy } = yield* behindProxy
      yield* Effect.gen(function* () {
        const store = yield* BlobStore
        yield* store.put("a", new Uint8Array(10))
        yield* proxy.cut("blackhole")
        const { put, size } = all(store)
        for (const operation of [put, size]) {
          const failed = yield* passTime(yield* Effect.forkChild(Effect.flip(operation)))
          assert.match(failed.message, /^could not .+: S3 took too long$/)
        }
      }).pipe(Effect.provide(S3BlobStore.layer(options)))
    }).pipe(Effect.scoped)
  )

  it.effect("fails a body that S3 stops sending, instead of waiting or ending early", () =>
    Effect.gen(function* () {
      const { options, proxy } = yield* behindProxy
      yield* Effect.gen(function* () {
        const store = yield* BlobStore
        yield* store.put("a", new Uint8Array(20 * MiB))
        const blob = yield* store.get("a")
        const begun = yield* Deferred.make<void>()
        const cutAtFirst = (how: TcpProxy.Cut) =>
          (blob?.body ?? Stream.empty).pipe(
            Stream.tap(() => Effect.andThen(proxy.cut(how), Deferred.succeed(begun, undefined))),
            Stream.runDrain,
            Effect.flip
          )

        const reader = yield* Effect.forkChild(cutAtFirst("blackhole"))
        yield* Deferred.await(begun)
        const stalled = yield* passTime(reader)
        assert.strictEqual(stalled.reason, "could not read a blob: S3 stopped sending it")

        yield* proxy.heal
        assert.strictEqual(
          (yield* cutAtFirst("refuse")).reason,
          "could not read a blob: S3 cannot be reached"
        )
      }).pipe(Effect.provide(S3BlobStore.layer(options)))
    }).pipe(Effect.scoped)
  )
})
