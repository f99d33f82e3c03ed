import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Queue, Scope } from "effect"
import { TestClock } from "effect/testing"
import { RequestId } from "#domain/Ids.ts"
import { type Callback, Callbacks } from "#src/features/providers/Callbacks.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"

const job = { requestId: RequestId.make("rq0000000000000000001"), attempt: 1 }

const callback = (json: Callback["json"]): Callback => ({
  json,
  headers: {},
  rawBody: Buffer.from(JSON.stringify(json))
})

const addressOf = (url: string) => {
  const [, requestId = "", attempt = "", mac = ""] =
    /^http:\/\/node\.test\/callbacks\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(url) ?? []
  return { requestId, attempt: Number(attempt), mac }
}

const layer = (key: number, isOver = false) =>
  Callbacks.layerOf({ url: "http://node.test", isOver: () => Effect.succeed(isOver) }).pipe(
    Layer.provide(MasterKey.layerOf(Buffer.alloc(32, key)))
  )

/** The run's address at a server with that master key. */
const addressAt = (key: number, run = job) =>
  Effect.flatMap(Callbacks, (callbacks) => Effect.scoped(callbacks.open(run))).pipe(
    Effect.map(({ url }) => url),
    Effect.provide(layer(key), { local: true })
  )

describe("Callbacks", () => {
  it.effect("gives a run the same address after a restart, and other runs and servers other ones", () =>
    Effect.gen(function* () {
      const urls = yield* Effect.all([
        addressAt(1),
        addressAt(1, { ...job, attempt: 2 }),
        addressAt(1, { ...job, requestId: RequestId.make("rq0000000000000000002") }),
        addressAt(2)
      ])
      assert.strictEqual(urls[0], yield* addressAt(1))
      assert.strictEqual(new Set(urls.map((url) => addressOf(url).mac)).size, 4)
    })
  )

  it.effect("delivers a callback to its listener", () =>
    Effect.gen(function* () {
      const callbacks = yield* Callbacks
      const { received, url } = yield* callbacks.open(job)
      const address = addressOf(url)
      assert.isTrue(callbacks.isAddress(address))
      assert.strictEqual(yield* callbacks.deliver({ ...address, callback: callback({ n: 1 }) }), "delivered")
      assert.deepStrictEqual((yield* Queue.take(received)).json, { n: 1 })
    }).pipe(Effect.scoped, Effect.provide(layer(1)))
  )

  it.effect("rejects a credential of another run, of another length, and a missing one", () =>
    Effect.gen(function* () {
      const callbacks = yield* Callbacks
      const { received, url } = yield* callbacks.open(job)
      const address = addressOf(url)
      const other = addressOf((yield* callbacks.open({ ...job, attempt: 2 })).url)
      const wrong = [
        { ...address, mac: other.mac },
        { ...address, mac: address.mac.slice(0, -2) },
        { ...address, mac: "" },
        { ...address, attempt: Number.NaN }
      ]
      for (const one of wrong) {
        assert.isFalse(callbacks.isAddress(one))
        assert.strictEqual(yield* callbacks.deliver({ ...one, callback: callback(1) }), "refused")
      }
      assert.strictEqual(yield* Queue.size(received), 0)
    }).pipe(Effect.scoped, Effect.provide(layer(1)))
  )

  it.effect("stores the newest 16 unread ones", () =>
    Effect.gen(function* () {
      const callbacks = yield* Callbacks
      const { received, url } = yield* callbacks.open(job)
      const address = addressOf(url)
      for (let n = 1; n <= 20; n++) yield* callbacks.deliver({ ...address, callback: callback(n) })
      const kept = yield* Queue.takeAll(received)
      assert.deepStrictEqual(
        kept.map(({ json }) => json),
        Array.from({ length: 16 }, (_, index) => index + 5)
      )
    }).pipe(Effect.scoped, Effect.provide(layer(1)))
  )

  const isEnd = ({ json }: Callback) => json === "end"

  /** A run that is over on the log once it was read `asked` times. */
  const recordedAfter = (asked: number) => {
    let times = 0
    return Callbacks.layerOf({
      url: "http://node.test",
      isOver: () => Effect.sync(() => ++times > asked)
    }).pipe(Layer.provide(MasterKey.layerOf(Buffer.alloc(32, 1))))
  }

  it.effect("answers an end once it is on the log, and anything else at once", () =>
    Effect.gen(function* () {
      const callbacks = yield* Callbacks
      const { received, url } = yield* callbacks.open(job, isEnd)
      const address = addressOf(url)
      assert.strictEqual(yield* callbacks.deliver({ ...address, callback: callback("running") }), "delivered")
      const end = yield* Effect.forkChild(callbacks.deliver({ ...address, callback: callback("end") }), {
        startImmediately: true
      })
      assert.lengthOf(yield* Queue.takeAll(received), 2)
      assert.isUndefined(end.pollUnsafe())
      yield* TestClock.adjust("70 millis")
      assert.strictEqual(yield* Fiber.join(end), "delivered")
    }).pipe(Effect.scoped, Effect.provide(recordedAfter(3)))
  )

  it.effect("returns elsewhere when the end is not on the log in time", () =>
    Effect.gen(function* () {
      const callbacks = yield* Callbacks
      const { url } = yield* callbacks.open(job, isEnd)
      const end = yield* Effect.forkChild(
        callbacks.deliver({ ...addressOf(url), callback: callback("end") }),
        { startImmediately: true }
      )
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(end), "elsewhere")
    }).pipe(Effect.scoped, Effect.provide(recordedAfter(Infinity)))
  )

  it.effect.each([
    [false, "elsewhere"],
    [true, "over"]
  ] as const)("without a listener for a run that is over: %s, answers %s", ([isOver, said]) =>
    Effect.gen(function* () {
      const callbacks = yield* Callbacks
      const { url } = yield* Effect.scoped(callbacks.open(job))
      assert.strictEqual(yield* callbacks.deliver({ ...addressOf(url), callback: callback(1) }), said)
    }).pipe(Effect.provide(layer(1, isOver)))
  )

  it.effect("keeps listening for a run that was resumed before its former listener ended", () =>
    Effect.gen(function* () {
      const callbacks = yield* Callbacks
      const former = yield* Scope.make()
      yield* Scope.provide(callbacks.open(job), former)
      const { received, url } = yield* callbacks.open(job)
      yield* Scope.close(former, Exit.void)
      yield* callbacks.deliver({ ...addressOf(url), callback: callback("x") })
      assert.strictEqual((yield* Queue.take(received)).json, "x")
    }).pipe(Effect.scoped, Effect.provide(layer(1)))
  )
})
