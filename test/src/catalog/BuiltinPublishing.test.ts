import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import * as BuiltinPublishing from "#src/catalog/BuiltinPublishing.ts"
import { CatalogContents } from "#src/catalog/CatalogContents.ts"
import { Publishing } from "#src/catalog/Publishing.ts"
import * as Core from "#src/Core.ts"
import { DataDirectory } from "#src/DataDirectory.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as TestCatalog from "#test/support/TestCatalog.ts"

const services = TestCatalog.layer(null).pipe(
  Layer.provideMerge(Core.layer),
  Layer.provide(TempDirectory.provide(DataDirectory.layerAt)),
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))
)

const start = Effect.scoped(Layer.build(BuiltinPublishing.layer))

describe("What ships with the server", () => {
  it.live("is published once, and what an operator has replaced or withdrawn stays so", () =>
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
      yield* withdraw("gpu", second.gpu.id)
      yield* start
      const after = (yield* current).gpus.map(({ gpu }) => gpu)
      assert.deepStrictEqual(
        after.filter(({ id }) => id === own.id || id === second.gpu.id),
        [own]
      )
    }).pipe(Effect.provide(services))
  )
})
