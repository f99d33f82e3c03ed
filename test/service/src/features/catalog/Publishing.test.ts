import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import * as CatalogProjection from "#projections/catalog/CatalogProjection.ts"
import * as ActorPublishing from "#src/features/catalog/ActorPublishing.ts"
import { CatalogProgress } from "#src/features/catalog/CatalogProgress.ts"
import { CatalogContents, type Contents } from "#src/features/catalog/CatalogContents.ts"
import {
  ItemNotFound,
  EndpointTaken,
  Publishing,
  type PublishOptions
} from "#src/features/catalog/Publishing.ts"
import type { Definitions } from "#src/features/catalog/Publishing.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { EventReader } from "#streams/EventReader.ts"
import { collection, definitions, gpu, model, template, wrapper } from "#test/support/CatalogDefinitions.ts"
import * as TestNode from "#test/support/TestNode.ts"

const options = {
  catalogOnLog: true,
  dispatches: false,
  projections: [CatalogProjection.projection]
} as const

const node = TestNode.layer(options)

const publish = (some: Partial<Definitions>, changes: Partial<PublishOptions> = {}) =>
  Effect.flatMap(Publishing, (publishing) =>
    publishing.publish(definitions(some), { source: "command", reactivates: false, ...changes })
  )

const changesOf = (published: Effect.Success<ReturnType<typeof publish>>) =>
  published.map(({ change, name }) => `${name} ${change}`)

/** With separate actors, over a catalog that counts its refreshes. */
const counted = Effect.gen(function* () {
  let times = 0
  const progress = Layer.succeed(CatalogProgress, { caughtUp: Effect.sync(() => void times++) })
  const services = yield* Layer.build(
    Layer.fresh(ActorPublishing.layerOwnActors.pipe(Layer.provide(progress)))
  )
  return { ...Context.get(services, Publishing), times: () => times }
})

const contents = Effect.flatMap(CatalogContents, ({ current }) => current)
const find = (endpoint: string) => Effect.flatMap(Catalog, (catalog) => catalog.find(endpoint))
const head = Effect.flatMap(EventReader, (reader) => reader.head)

const flux = model("acme/flux")
const better = model("acme/flux", { description: "Better." })
const logo = wrapper("acme/logo", "acme/flux")

const everything = {
  models: [flux],
  wrappers: [logo],
  collections: [collection("start", ["acme/logo"])],
  gpus: [gpu("rtx")],
  templates: [template("vllm")]
}

const namesIn = ({ collections, gpus, models, templates, wrappers }: Contents) => [
  ...models.map(({ model }) => String(model.endpoint)),
  ...wrappers.map(({ wrapper }) => String(wrapper.endpoint)),
  ...collections.map(({ collection }) => collection.slug),
  ...gpus.map(({ gpu }) => gpu.id),
  ...templates.map(({ template }) => template.id)
]

describe("Publishing", () => {
  it.effect("reads the catalog again once for many batches, and each batch has its own result", () =>
    Effect.gen(function* () {
      const { publishBatches, times } = yield* counted
      const batch = (some: Partial<Definitions>, deprecated: ReadonlyArray<string> = []) => ({
        definitions: definitions(some),
        deprecated,
        source: "models/a.yaml",
        reactivates: false
      })
      yield* publish({ models: [model("acme/taken")] })
      const published = yield* publishBatches([
        batch({ models: [flux] }, ["acme/flux"]),
        batch({ wrappers: [wrapper("acme/taken", "acme/flux")] }),
        batch({ gpus: [gpu("rtx")] })
      ])
      assert.deepStrictEqual(published.map(Result.isSuccess), [true, false, true])
      assert.strictEqual(times(), 1)
      yield* publish({})
      const { byEndpoint, gpus } = yield* contents
      assert.strictEqual(byEndpoint.get("acme/flux")?.status, "deprecated")
      assert.lengthOf(gpus, 1)
    }).pipe(Effect.scoped, Effect.provide(node))
  )

  it.effect("is visible in the catalog when it returns", () =>
    Effect.gen(function* () {
      assert.isNull(yield* find("acme/flux"))
      const published = yield* publish(everything)
      assert.deepStrictEqual(published, [
        { kind: "model", name: "acme/flux", change: "created", version: flux.version },
        { kind: "wrapper", name: "acme/logo", change: "created", version: logo.version },
        { kind: "collection", name: "start", change: "created", version: null },
        { kind: "gpu", name: "rtx", change: "created", version: null },
        { kind: "deployment-template", name: "vllm", change: "created", version: null }
      ])
      const shown = yield* contents
      assert.deepStrictEqual(namesIn(shown), ["acme/flux", "acme/logo", "start", "rtx", "vllm"])
      assert.deepStrictEqual(shown.models[0]?.model, flux)
      assert.deepStrictEqual(shown.wrappers[0]?.base, flux)
      assert.deepStrictEqual([...shown.byEndpoint.keys()], ["acme/flux", "acme/logo"])
      assert.deepStrictEqual((yield* find("acme/flux"))?.model, flux)
    }).pipe(Effect.provide(node))
  )

  it.effect("writes nothing for unchanged definitions", () =>
    Effect.gen(function* () {
      yield* publish(everything)
      const before = { head: yield* head, contents: yield* contents }
      const again = yield* publish(everything, { reactivates: true })
      assert.deepStrictEqual([...new Set(again.map(({ change }) => change))], ["unchanged"])
      assert.strictEqual(yield* head, before.head)
      assert.strictEqual(yield* contents, before.contents)
    }).pipe(Effect.provide(node))
  )

  it.effect("reports the result for each definition, and lists the latest change first", () =>
    Effect.gen(function* () {
      const publishing = yield* Publishing
      yield* publish({ ...everything, models: [flux, model("acme/other")] })
      const before = yield* contents
      yield* TestClock.adjust("1 second")
      yield* publishing.deprecate("acme/flux", "command")
      yield* publishing.withdraw("gpu", "rtx", "command")
      const after = yield* contents
      assert.notStrictEqual(after.revision, before.revision)
      assert.deepStrictEqual(
        after.models.map(({ createdAt, model, status, updatedAt }) => [
          model.endpoint,
          status,
          createdAt,
          updatedAt
        ]),
        [
          ["acme/flux", "deprecated", 0, 1_000],
          ["acme/other", "active", 0, 0]
        ]
      )
      assert.deepStrictEqual(after.gpus, [])
      assert.deepStrictEqual(changesOf(yield* publish({ models: [flux], gpus: [gpu("rtx")] })), [
        "acme/flux unchanged",
        "rtx unchanged"
      ])
      const again = yield* publish({ models: [flux], gpus: [gpu("rtx")] }, { reactivates: true })
      assert.deepStrictEqual(changesOf(again), ["acme/flux reactivated", "rtx reactivated"])
      const changed = yield* publish({ models: [better], gpus: [gpu("rtx", 2)] }, { reactivates: true })
      assert.deepStrictEqual(changesOf(changed), ["acme/flux updated", "rtx updated"])
      assert.strictEqual((yield* contents).models[0]?.status, "active")
    }).pipe(Effect.provide(node))
  )

  it.effect("publishes the other definitions when one of them fails", () =>
    Effect.gen(function* () {
      yield* publish(everything)
      const failed = yield* Effect.flip(
        publish({ models: [model("acme/logo"), model("acme/other")], collections: [collection("more")] })
      )
      assert.deepStrictEqual(failed, new EndpointTaken({ name: "acme/logo" }))
      const names = namesIn(yield* contents)
      assert.includeMembers(names, ["acme/other", "more"])
      assert.deepStrictEqual((yield* contents).byEndpoint.get("acme/logo")?.kind, "wrapper")
    }).pipe(Effect.provide(node))
  )

  it.effect("does nothing when there is nothing to deprecate or to withdraw", () =>
    Effect.gen(function* () {
      const { deprecate, withdraw } = yield* Publishing
      yield* publish(everything)
      yield* deprecate("acme/logo", "command")
      yield* deprecate("acme/logo", "command")
      yield* withdraw("wrapper", "acme/logo", "command")
      for (const [kind, name] of [
        ["model", "acme/none"],
        ["wrapper", "acme/logo"],
        ["wrapper", "acme/flux"],
        ["collection", "none"],
        ["gpu", "start"],
        ["deployment-template", "none"]
      ] as const) {
        assert.deepStrictEqual(
          yield* Effect.flip(withdraw(kind, name, "command")),
          new ItemNotFound({ name })
        )
      }
      for (const name of ["acme/none", "acme/logo"]) {
        assert.deepStrictEqual(yield* Effect.flip(deprecate(name, "command")), new ItemNotFound({ name }))
      }
      assert.deepStrictEqual(namesIn(yield* contents), ["acme/flux", "start", "rtx", "vllm"])
    }).pipe(Effect.provide(node))
  )

  it.effect("by two nodes at once creates each definition once, and both show the same", () =>
    Effect.gen(function* () {
      const nodes = yield* Effect.forEach(["a", "b"], (name) => TestNode.start({ ...options, name }))
      const before = yield* head
      const many = {
        ...everything,
        models: [flux, ...Array.from({ length: 20 }, (_, i) => model(`acme/m${i}`))]
      }
      yield* Effect.forEach(nodes, ({ on }) => on(publish(many)), { concurrency: "unbounded" })
      assert.strictEqual(Number(yield* head) - Number(before), 25)
      const [a, b] = yield* Effect.forEach(nodes, ({ on }) => on(contents))
      assert.lengthOf(a?.models ?? [], 21)
      assert.strictEqual(a?.revision, b?.revision)
    }).pipe(Effect.scoped, Effect.provide(TestNode.storeLayer))
  )

  it.effect("is visible on other nodes within two seconds", () =>
    Effect.gen(function* () {
      const a = yield* TestNode.start({ ...options, name: "a" })
      const b = yield* TestNode.start({ ...options, name: "b" })
      yield* a.on(publish({ models: [flux] }))
      yield* b.on(publish({ models: [flux, model("acme/other")] }))
      const offered = Effect.gen(function* () {
        yield* TestClock.adjust("100 millis")
        return yield* a.on(find("acme/other"))
      })
      const found = yield* Effect.repeat(offered, { until: (entry) => entry !== null })
      assert.strictEqual(found?.model.endpoint, "acme/other")
      // This node knows the other node's last publication when it publishes itself.
      yield* a.on(publish({ models: [better] }))
      assert.deepStrictEqual(changesOf(yield* b.on(publish({ models: [flux] }))), ["acme/flux updated"])
    }).pipe(Effect.scoped, Effect.provide(TestNode.storeLayer))
  )
})
