import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Queue, References } from "effect"
import { TestClock } from "effect/testing"
import * as CatalogProjection from "#projections/catalog/CatalogProjection.ts"
import * as BuiltinPublishing from "#src/features/manifests/BuiltinPublishing.ts"
import { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import { Publishing } from "#src/features/catalog/Publishing.ts"
import * as Core from "#src/composition/Core.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { EventReader, EventStoreError } from "#streams/EventReader.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as TestCatalog from "#test/support/TestCatalog.ts"
import * as TestNode from "#test/support/TestNode.ts"

const services = TestCatalog.layer(null).pipe(
  Layer.provideMerge(Core.layer),
  Layer.provide(TempDirectory.provide(DataDirectory.layerAt)),
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))
)

const start = Effect.scoped(Layer.build(BuiltinPublishing.layer))

const node = TestNode.layer({
  catalogOnLog: true,
  dispatches: false,
  projections: [CatalogProjection.projection]
})

describe("The release's definitions", () => {
  it.effect("are published as soon as a log that was unavailable at the start accepts events", () =>
    Effect.gen(function* () {
      const publishing = yield* Publishing
      const { current } = yield* CatalogContents
      const published = yield* Deferred.make<void>()
      const attempts = yield* Queue.unbounded<number>()
      let left = 3
      const away = Layer.succeed(Publishing, {
        ...publishing,
        publish: (definitions, options) =>
          Effect.suspend(() => {
            Queue.offerUnsafe(attempts, left)
            return left-- > 0
              ? Effect.fail(new EventStoreError({ reason: "away" }))
              : Effect.tap(publishing.publish(definitions, options), Deferred.succeed(published, undefined))
          })
      })
      yield* Layer.build(Layer.provide(BuiltinPublishing.layer, away))
      for (const [expected, wait] of [
        [3, "1 second"],
        [2, "1 second"],
        [1, "2 seconds"]
      ] as const) {
        assert.strictEqual(yield* Queue.take(attempts), expected)
        assert.lengthOf((yield* current).models, 0)
        yield* TestClock.adjust(wait)
      }
      assert.strictEqual(yield* Queue.take(attempts), 0)
      yield* Deferred.await(published)
      assert.isAtLeast((yield* current).models.length, 10)
    }).pipe(Effect.scoped, Effect.provide(node))
  )

  it.live("are published once, and stay as an operator has replaced or withdrawn them", () =>
    Effect.gen(function* () {
      const { publish, withdraw } = yield* Publishing
      const { current } = yield* CatalogContents
      const { head } = yield* EventReader
      yield* start
      const { gpus, models, wrappers } = yield* current
      assert.isAtLeast(models.length, 10)
      assert.isAtLeast(wrappers.length, 2)
      const published = yield* head
      yield* start
      assert.strictEqual(yield* head, published)

      const [first, second] = gpus
      assert.isTrue(first !== undefined && second !== undefined)
      if (first === undefined || second === undefined) return
      const own = { ...first.gpu, name: "Our own" }
      const nothing = { models: [], wrappers: [], collections: [], gpus: [], templates: [] }
      yield* publish({ ...nothing, gpus: [own] }, { source: "command", reactivates: true })
      yield* withdraw("gpu", second.gpu.id, "command")
      yield* start
      const after = (yield* current).gpus.map(({ gpu }) => gpu)
      assert.deepStrictEqual(
        after.filter(({ id }) => id === own.id || id === second.gpu.id),
        [own]
      )
    }).pipe(Effect.provide(services))
  )
})
