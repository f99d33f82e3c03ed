import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { RequestId } from "#domain/Ids.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import type { Provider } from "#src/features/providers/Provider.ts"
import { Runs } from "#src/features/dispatch/Runs.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded, testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import * as Fleet from "#test/support/src/features/dispatch/Fleet.ts"

const shared = (concurrency: number) => ({ name: "shared", concurrency })
const one = Fleet.modelAt("test/one", [shared(3)])
/** If its bindings differ, the lowest limit counts. */
const two = Fleet.modelAt("test/two", [shared(2)])

const next = (count: number) =>
  Effect.replicateEffect(
    Effect.flatMap(TestProvider, ({ next }) => next),
    count
  )

describe("The limit of a provider", () => {
  it.effect("covers all models that it runs, and they share free slots in turn", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      yield* Effect.replicateEffect(Facts.submit({ model: one }), 6)
      const open = [...(yield* next(2))]
      yield* Effect.replicateEffect(Facts.submit({ model: two }), 6)
      const served: Array<string> = []
      for (let turn = 0; turn < 8; turn++) {
        assert.strictEqual(runs.countOf("shared"), 2)
        const [oldest] = open.splice(0, 1)
        yield* oldest?.ends(succeeded()) ?? Effect.void
        const [run] = yield* next(1)
        if (run === undefined) return assert.fail("nothing runs")
        open.push(run)
        served.push(run.job.model.endpoint)
      }
      assert.lengthOf(
        served.filter((endpoint) => endpoint === "test/one"),
        4
      )
      assert.deepStrictEqual(served.slice(0, 4), ["test/two", "test/one", "test/two", "test/one"])
    }).pipe(Effect.provide(Fleet.layer([one, two])))
  )

  it.effect("lets a model continue as soon as the runs of an idle one are over", () =>
    Effect.gen(function* () {
      yield* Effect.replicateEffect(Facts.submit({ model: one }), 2)
      const [first] = yield* next(2)
      const id = yield* Facts.submit({ model: two })
      yield* TestClock.adjust("1 second")
      yield* first?.ends(succeeded()) ?? Effect.void
      const [run] = yield* next(1)
      assert.strictEqual(run?.job.requestId, id)
    }).pipe(Effect.provide(Fleet.layer([one, two])))
  )

  it.effect("is not used up by the model with most requests: each model has a share", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const blocked = yield* Effect.replicateEffect(Facts.submit({ model: ten }), 10)
      const first = yield* next(10)
      yield* Effect.replicateEffect(Facts.submit({ model: ten, account: "acc_busy" }), 50)
      yield* Effect.replicateEffect(Facts.submit({ model: tenToo, account: "acc_calm" }), 50)
      yield* Effect.forEach(first, (run) => run.ends(succeeded()))
      yield* Effect.forEach(blocked, Facts.untilEnd)
      yield* next(10)
      assert.isAtLeast(provider.running("test/ten-too").now, 4)
      assert.isAtLeast(provider.running("test/ten").now, 4)
    }).pipe(Effect.provide(Fleet.layer([ten, tenToo])))
  )

  it.effect("moves runs to another provider when it is reached", () =>
    Effect.gen(function* () {
      yield* Effect.replicateEffect(Facts.submit({ model: spilling }), 3)
      const names = (yield* next(3)).map(({ job }) => job.binding.name)
      assert.deepStrictEqual(names.sort(), ["big", "small", "small"])
    }).pipe(Effect.provide(Fleet.layer([spilling])))
  )

  it.effect("covers all nodes: together they never exceed it", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const options = { models: [three, threeToo], providers: Fleet.behindHttp }
      const a = yield* TestNode.start({ name: "a", ...options })
      const b = yield* TestNode.start({ name: "b", ...options })
      const ids: Array<RequestId> = []
      for (const node of [a, b]) {
        for (const model of [three, threeToo]) {
          ids.push(...(yield* node.on(Effect.replicateEffect(Facts.submit({ model }), 5))))
        }
      }
      const most = { now: 0 }
      const running = () => provider.running("test/three").now + provider.running("test/three-too").now
      let left = ids.length
      while (left > 0) {
        yield* TestClock.adjust("500 millis")
        most.now = Math.max(most.now, running())
        const run = yield* provider.next
        most.now = Math.max(most.now, running())
        yield* run.ends(succeeded())
        left--
      }
      yield* Effect.forEach(ids, (id) => a.on(Facts.untilEnd(id)))
      assert.isAtMost(most.now, 3)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

const ten = Fleet.modelAt("test/ten", [{ name: "ten", concurrency: 10 }])
const tenToo = Fleet.modelAt("test/ten-too", [{ name: "ten" }])
const spilling = Fleet.modelAt("test/spilling", [{ name: "small", concurrency: 2 }, { name: "big" }])
const three = Fleet.modelAt("test/three", [{ name: "three", concurrency: 3 }])
const threeToo = Fleet.modelAt("test/three-too", [{ name: "three", concurrency: 3 }])

/** Nodes with a share of only the model or only its provider could wait for each other for ever. */
describe("A limit that is smaller than the number of nodes", () => {
  it.effect("of a model and of its provider leaves one node that can run it", () =>
    Effect.gen(function* () {
      const models = ["a", "b", "c", "d", "e", "f"].map((name) =>
        Fleet.modelAt(`test/rare-${name}`, [{ name: `rare-${name}`, concurrency: 1 }], { concurrency: 1 })
      )
      const provider = yield* TestProvider
      Fleet.answering(provider, () => succeeded())
      const options = { models, providers: Fleet.behindHttp }
      const nodes = yield* Effect.forEach(["a", "b", "c"], (name) => TestNode.start({ name, ...options }))
      const [first] = nodes
      if (first === undefined) return assert.fail("there are nodes")
      const ids = yield* first.on(Effect.forEach(models, (model) => Facts.submit({ model })))
      yield* Effect.forEach(ids, (id) => first.on(Facts.untilEnd(id)))
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

describe("A small limit of a fallback provider", () => {
  it.effect("is lent to the node that may run the model, if that node has no share", () =>
    Effect.gen(function* () {
      const models = ["a", "b", "c", "d", "e", "f"].map((name) =>
        Fleet.modelAt(
          `test/spare-${name}`,
          [
            { name: `away-${name}`, concurrency: 1 },
            { name: `spare-${name}`, concurrency: 1 }
          ],
          { concurrency: 1 }
        )
      )
      const provider = yield* TestProvider
      Fleet.answering(provider, (name) =>
        name.startsWith("away") ? Fleet.rateLimited(3_600_000) : succeeded()
      )
      const options = { models, providers: Fleet.behindHttp }
      const nodes = yield* Effect.forEach(["a", "b", "c"], (name) => TestNode.start({ name, ...options }))
      const [first] = nodes
      if (first === undefined) return assert.fail("there are nodes")
      const ids = yield* first.on(Effect.forEach(models, (model) => Facts.submit({ model })))
      yield* Effect.forEach(ids, (id) => first.on(Facts.untilType(id, "RequestRequeued")))
      yield* TestClock.adjust("250 millis")
      for (const id of ids) {
        assert.lengthOf(Facts.ofType(yield* first.on(Facts.untilEnd(id)), "DispatchStarted"), 2)
      }
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

describe("A wrapper", () => {
  const base = Fleet.modelAt("test/base", [{ name: "p" }], { concurrency: 2 })
  const wrapper = Fleet.modelAt("test/wrapper", [{ name: "p" }], { concurrency: 2 })
  /** Runs on the other node. */
  const catalog = Layer.effect(
    Catalog,
    Effect.map(Catalog, (known) => {
      const find = (endpoint: string) =>
        Effect.map(known.find(endpoint), (entry) =>
          entry === null ? null : { ...entry, runs: base.model.endpoint }
        )
      return Catalog.of({ ...known, find, findVersion: find, lastOffered: find })
    })
  ).pipe(Layer.provide(BuiltinCatalog.layerOf([base, wrapper])))

  it.effect("has no slots of its own: its runs count with those of its base model, in turn", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      yield* Effect.replicateEffect(Facts.submit({ model: base }), 4)
      const open = [...(yield* next(2))]
      const wrapped = new Set(yield* Effect.replicateEffect(Facts.submit({ model: wrapper }), 4))
      const served: Array<string> = []
      for (let turn = 0; turn < 4; turn++) {
        assert.strictEqual(runs.count("test/base"), 2)
        const [oldest] = open.splice(0, 1)
        yield* oldest?.ends(succeeded()) ?? Effect.void
        const run = yield* (yield* TestProvider).next
        open.push(run)
        assert.strictEqual(run.job.model.endpoint, "test/base")
        served.push(wrapped.has(run.job.requestId) ? "wrapper" : "base")
      }
      assert.deepStrictEqual(served, ["wrapper", "base", "wrapper", "base"])
    }).pipe(Effect.provide(Fleet.layer([base, wrapper], { catalog })))
  )
})

describe("A provider that reports its free slots", () => {
  const worked = testModel("test/worked", { concurrency: 100 })
  const model = {
    ...worked,
    model: { ...worked.model, providers: [{ name: "gpus", adapter: "pull" }] }
  } as const

  it.effect("gets as many runs, and more as soon as there are more slots", () =>
    Effect.gen(function* () {
      const changes = yield* Queue.unbounded<void>()
      let room = 0
      const withRoom = (provider: Provider): ReadonlyArray<Provider> => [
        {
          ...provider,
          adapter: "pull",
          room: { of: () => room, changes: Stream.fromQueue(changes) },
          run: (job, control) => Effect.suspend(() => (room--, provider.run(job, control)))
        }
      ]
      const more = (count: number) =>
        Effect.suspend(() => {
          room += count
          return Queue.offer(changes, undefined)
        })
      yield* Effect.gen(function* () {
        const provider = yield* TestProvider
        const ids = yield* Effect.replicateEffect(Facts.submit({ model }), 20)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(provider.begun(), [])
        yield* more(3)
        yield* next(3)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(provider.begun(), ids.slice(0, 3))
        for (let index = 3; index < 20; index++) {
          yield* more(1)
          assert.strictEqual((yield* provider.next).job.requestId, ids[index])
        }
        assert.strictEqual(room, 0)
      }).pipe(Effect.provide(TestNode.layer({ models: [model], providers: withRoom })))
    })
  )

  it.effect("causes no work when it grows and nothing waits", () =>
    Effect.gen(function* () {
      const changes = yield* Queue.unbounded<void>()
      let passes = 0
      const catalog = Layer.effect(
        Catalog,
        Effect.map(Catalog, (known) =>
          Catalog.of({ ...known, all: Effect.tap(known.all, () => Effect.sync(() => passes++)) })
        )
      ).pipe(Layer.provide(BuiltinCatalog.layerOf([model])))
      const withRoom = (provider: Provider): ReadonlyArray<Provider> => [
        { ...provider, adapter: "pull", room: { of: () => 100, changes: Stream.fromQueue(changes) } }
      ]
      yield* Effect.gen(function* () {
        const provider = yield* TestProvider
        provider.answerWith(() => Effect.succeed(succeeded()))
        yield* Facts.untilEnd(yield* Facts.submit({ model }))
        yield* TestClock.adjust("1 second")
        const before = passes
        for (let poller = 0; poller < 50; poller++) {
          yield* Queue.offer(changes, undefined)
          yield* Effect.repeat(Effect.yieldNow, { times: 50 })
        }
        assert.isBelow(passes - before, 10)
      }).pipe(Effect.provide(TestNode.layer({ models: [model], catalog, providers: withRoom })))
    })
  )
})
