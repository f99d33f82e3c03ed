/** Models that are withdrawn while requests for them wait. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { WorkerPool } from "#src/features/providers/pull/WorkerPool.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import {
  model,
  models,
  workerOf,
  worker,
  endpoint,
  wait,
  claim,
  end,
  told,
  completions
} from "#test/support/src/features/providers/workers/LeaseNode.ts"

describe("A worker of a withdrawn model", () => {
  const wrapper = "test/wrapper"

  it.effect("runs earlier requests of the model and of its wrappers", () =>
    Effect.gen(function* () {
      const built = yield* Effect.provide(Catalog, BuiltinCatalog.layerOf(models))
      const base = (yield* built.find(endpoint)) ?? (yield* Effect.die("No such model"))
      const wrapping = { ...base, model: { ...base.model, endpoint: ModelEndpoint.make(wrapper) } }
      let isOffered = true
      const last = (name: string) =>
        Effect.succeed(name === endpoint ? base : name === wrapper ? wrapping : null)
      const catalog = Catalog.of({
        all: Effect.sync(() => (isOffered ? [base, wrapping] : [])),
        find: (name) => (isOffered ? last(name) : Effect.succeed(null)),
        lastOffered: last,
        findVersion: last
      })
      const node = yield* TestNode.start({
        name: "one",
        pulls: true,
        catalog: Layer.succeed(Catalog, catalog)
      })
      const ids = [
        yield* node.on(Facts.submit({ model })),
        yield* node.on(Facts.submit({ model, endpoint: wrapper }))
      ]
      isOffered = false
      const stranger = yield* node.on(workerOf(["test/other"]))
      const outside = yield* node.on(wait(stranger))
      const anyone = yield* node.on(worker)
      const naming = Effect.flatMap(wait(anyone, [wrapper]), Fiber.join)
      assert.strictEqual(yield* told(node.on(naming)), "NoSuchModel")
      const { pollers } = yield* node.on(WorkerPool)
      assert.strictEqual(pollers.room(endpoint), 0)
      const me = yield* node.on(workerOf([endpoint]))
      const jobs = [yield* yield* node.on(claim(me, [endpoint])), yield* yield* node.on(claim(me))]
      for (const { id, job } of jobs) {
        assert.strictEqual(job.model.endpoint, endpoint)
        yield* node.on(end(me, id))
      }
      assert.sameMembers(
        jobs.map(({ job }) => job.requestId),
        ids
      )
      for (const id of ids) assert.lengthOf(yield* node.on(completions(id)), 1)
      assert.isUndefined(outside.pollUnsafe())
      yield* Fiber.interrupt(outside)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
