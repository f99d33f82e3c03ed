/** Large outputs while the log rejects their events: no unreferenced blob remains. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Money from "#domain/Money.ts"
import { inlineLimit } from "#domain/PayloadRef.ts"
import { Finalizer } from "#src/features/dispatch/finalize/Finalizer.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { Eraser } from "#src/features/retention/Eraser.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { AppendFaults, type Fate } from "#test/support/AppendFaults.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { single } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import {
  delivered,
  gallery,
  nextTurn,
  server
} from "#test/support/src/features/dispatch/finalize/MediaModel.ts"

/** The keys of the current blobs in the store of the layer below. */
const watched = () => {
  const keys = new Set<string>()
  const layer = Layer.effect(
    BlobStore,
    Effect.map(BlobStore, (blobs) =>
      BlobStore.of({
        ...blobs,
        put: (key, body) => Effect.tap(blobs.put(key, body), () => Effect.sync(() => keys.add(key))),
        remove: (key) => Effect.tap(blobs.remove(key), () => Effect.sync(() => keys.delete(key)))
      })
    )
  )
  const store = layer.pipe(Layer.provideMerge(TestNode.storeLayer))
  return { payloads: () => [...keys].filter((key) => key.startsWith("payloads/")), store }
}

const large = "x".repeat(inlineLimit)

describe("A large output", () => {
  it.effect.each<readonly [Exclude<Fate, "stored">, number]>([
    ["refused", 3],
    ["stored unheard", 1]
  ])("is stored once when its append is %s", ([fate, times]) => {
    const { payloads, store } = watched()
    return Effect.gen(function* () {
      const { fail } = yield* AppendFaults
      const run = yield* Effect.andThen(
        Facts.submit(),
        Effect.flatMap(TestProvider, ({ next }) => next)
      )
      fail("OutputReceived", times, fate)
      yield* run.ends({ _tag: "Succeeded", output: { value: large }, delivered: Money.units(1) })
      yield* TestClock.adjust("5 seconds")
      const id = run.job.requestId
      yield* Facts.untilEnd(id)
      assert.lengthOf(payloads(), 1)
      const { output } = yield* (yield* Requests).payloads(yield* Facts.snapshot(id))
      assert.deepStrictEqual(output, { value: large })
    }).pipe(Effect.provide(TestNode.nodeLayer({ models: [single] }).pipe(Layer.provideMerge(store))))
  })

  it.effect.each<readonly [Exclude<Fate, "stored">, number]>([
    ["refused", 3],
    ["stored unheard", 1]
  ])("has its files fetched once when the append is %s", ([fate, times]) => {
    const { payloads, store } = watched()
    return Effect.gen(function* () {
      const { calls, url } = yield* server()
      const { fail } = yield* AppendFaults
      const run = yield* Effect.andThen(
        Facts.submit({ model: gallery }),
        Effect.flatMap(TestProvider, ({ next }) => next)
      )
      const id = run.job.requestId
      fail("MediaStored", times, fate)
      yield* run.ends(delivered({ images: [{ url: `${url}/cat`, note: large }] }))
      yield* Effect.forkChild(Effect.forever(Effect.andThen(TestClock.adjust("100 millis"), nextTurn)))
      yield* Facts.untilEnd(id)
      yield* Effect.repeat(
        Effect.andThen(
          nextTurn,
          Effect.map(Finalizer, ({ has }) => has(id))
        ),
        {
          while: (isAtIt) => isAtIt
        }
      )
      assert.lengthOf(payloads(), 2)
      assert.strictEqual(calls(), 1)
      const { output } = yield* (yield* Requests).payloads(yield* Facts.snapshot(id))
      assert.include(JSON.stringify(output), large)
    }).pipe(
      Effect.scoped,
      Effect.provide(TestNode.nodeLayer({ models: [gallery] }).pipe(Layer.provideMerge(store)))
    )
  })

  it.effect("with files is erased completely, including the text with our URLs", () => {
    const { payloads, store } = watched()
    return Effect.gen(function* () {
      const { url } = yield* server()
      const run = yield* Effect.andThen(
        Facts.submit({ model: gallery }),
        Effect.flatMap(TestProvider, ({ next }) => next)
      )
      const id = run.job.requestId
      yield* run.ends(delivered({ images: [{ url: `${url}/cat`, note: large }] }))
      yield* Facts.untilEnd(id)
      assert.lengthOf(payloads(), 2)
      yield* (yield* Eraser).erase(id, "requested")
      assert.deepStrictEqual(payloads(), [])
    }).pipe(
      Effect.scoped,
      Effect.provide(TestNode.nodeLayer({ models: [gallery] }).pipe(Layer.provideMerge(store)))
    )
  })
})
