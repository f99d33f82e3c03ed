/** A run at a worker on a complete node: the log, the dispatcher, and another node after it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { BuiltinModel } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import * as HttpProvider from "#src/features/providers/http/HttpProvider.ts"
import * as Surroundings from "#test/support/src/features/providers/contract/Surroundings.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as HttpUpstream from "#test/support/upstreams/Http.ts"

const limit = "10 seconds"

const setUp = Effect.fnUntraced(function* (way: HttpUpstream.Way) {
  const upstream = yield* HttpUpstream.make(way)
  const surroundings = yield* Layer.build(Surroundings.layer({ WORKER_SECRET: upstream.secret }))
  const built = testModel("test/remote", { outputSchema: {} })
  const binding = { ...upstream.binding, name: "worker" }
  const remote: BuiltinModel = { ...built, model: { ...built.model, providers: [binding] } }
  const start = Effect.fnUntraced(function* (name: string) {
    const provider = yield* Effect.provide(HttpProvider.make, surroundings)
    return yield* TestNode.start({ name, models: [remote], providers: () => [provider] })
  })
  return { start, submit: Facts.submit({ model: remote }), upstream }
})

describe("A run at a worker", () => {
  it.live("completes its request with the output", () =>
    Effect.gen(function* () {
      const { start, submit, upstream } = yield* setUp("answers")
      const node = yield* start("node")
      const id = yield* node.on(submit)
      const all = yield* Effect.timeout(node.on(Facts.untilEnd(id)), limit)
      const [started] = Facts.ofType(all, "DispatchStarted")
      assert.strictEqual(started?.provider, "worker")
      assert.lengthOf(Facts.ofType(all, "RequestCompleted"), 1)
      assert.deepStrictEqual(
        (yield* upstream.jobs).map(({ input, state }) => ({ input, state })),
        [{ input: { value: "in" }, state: "succeeded" }]
      )
    }).pipe(Effect.scoped, Effect.provide(TestNode.storeLayer))
  )

  it.live.each([
    ["stops", "polled"],
    ["crashes", "calls"]
  ] as const)("continues when its node %s, and another one receives its end (%s)", ([end, way]) =>
    Effect.gen(function* () {
      const { start, submit, upstream } = yield* setUp(way)
      yield* upstream.plan({ _tag: "Succeeds", held: true })
      const first = yield* start("first")
      const id = yield* first.on(submit)
      yield* Effect.timeout(first.on(Facts.untilType(id, "ProviderAccepted")), limit)
      yield* end === "stops" ? first.stop : first.crash
      const second = yield* start("second")
      yield* upstream.release
      const all = yield* Effect.timeout(second.on(Facts.untilEnd(id)), limit)
      assert.lengthOf(Facts.ofType(all, "RequestCompleted"), 1)
      assert.lengthOf(Facts.ofType(all, "DispatchStarted"), 1)
      assert.lengthOf(yield* upstream.jobs, 1)
    }).pipe(Effect.scoped, Effect.provide(TestNode.storeLayer))
  )
})
