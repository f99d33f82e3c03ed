import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Offering from "#domain/catalog/Offering.ts"
import type { Model } from "#domain/catalog/Model.ts"
import * as CatalogProjection from "#projections/catalog/CatalogProjection.ts"
import { Projections } from "#projections/Projections.ts"
import * as BuiltinPublishing from "#src/features/manifests/BuiltinPublishing.ts"
import { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import { type Definitions, Publishing } from "#src/features/catalog/Publishing.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { Catalog, NotKnownHere } from "#src/features/catalog/models/Catalog.ts"
import * as Version from "#src/features/catalog/models/Version.ts"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import { collection, definitions, model, wrapper } from "#test/support/CatalogDefinitions.ts"
import * as TestNode from "#test/support/TestNode.ts"

const options = {
  catalogOnLog: true,
  dispatches: false,
  projections: [CatalogProjection.projection]
} as const

const node = TestNode.layer(options)

const publish = (some: Partial<Definitions>) =>
  Effect.flatMap(Publishing, (publishing) =>
    publishing.publish(definitions(some), { source: "command", reactivates: false })
  )
const publishBuiltins = Effect.scoped(Effect.asVoid(Effect.provide(Effect.void, BuiltinPublishing.layer)))

const contents = Effect.flatMap(CatalogContents, ({ current }) => current)
const all = Effect.flatMap(Catalog, (catalog) => catalog.all)
const find = (endpoint: string) => Effect.flatMap(Catalog, (catalog) => catalog.find(endpoint))
const findVersion = (endpoint: string, version: string) =>
  Effect.flatMap(Catalog, (catalog) => catalog.findVersion(endpoint, version))

const flux = model("acme/flux")
const better = model("acme/flux", { description: "Better." })
const logo = wrapper("acme/logo", "acme/flux")
const newLogo = wrapper("acme/logo", "acme/flux", { template: { value: "goodbye {{name}}" } })

const versioned = (wrapper: typeof logo, base: Model) => `${wrapper.version}.${base.version}`

/** Definitions of another release: `changes` do not exist in this one. */
const publishForeign = Effect.fnUntraced(function* (of: Model, changes: Readonly<Record<string, string>>) {
  const event = Offering.codec.encode({ _tag: "ModelPublished", at: 0, source: "future", model: of })
  const { model, ...rest } = event.data
  const foreign = { ...(typeof model === "object" ? model : {}), ...changes }
  yield* (yield* EventStore).append({
    stream: StreamName.make(Offering.aggregate.category, of.endpoint),
    expected: ExpectedVersion.Any,
    events: [{ id: "foreign", type: event.type, time: event.time, data: { ...rest, model: foreign } }]
  })
})

const lastOffered = (endpoint: string) => Effect.flatMap(Catalog, (catalog) => catalog.lastOffered(endpoint))

/** This node's projection of the catalog stops at an event without a definition. */
const stopProjection = Effect.gen(function* () {
  const { data, type, ...event } = Offering.codec.encode({
    _tag: "ModelPublished",
    at: 0,
    source: "future",
    model: flux
  })
  yield* (yield* EventStore).append({
    stream: StreamName.make(Offering.aggregate.category, "acme/stopper"),
    expected: ExpectedVersion.Any,
    events: [{ id: "stopper", type, time: event.time, data: { source: data["source"] ?? "" } }]
  })
  const position = yield* (yield* EventReader).head
  yield* (yield* Projections).waitFor(position, { projection: CatalogProjection.projection.name })
})

describe("The catalog of the log", () => {
  it.effect("is the same after a restart", () =>
    Effect.gen(function* () {
      const onNode = <A, E>(body: Effect.Effect<A, E, TestNode.NodeServices | EventReader>) =>
        Effect.acquireUseRelease(
          TestNode.start({ ...options, name: "a" }),
          ({ on }) => on(body),
          ({ stop }) => stop
        )
      const before = yield* onNode(
        Effect.gen(function* () {
          yield* publish({ models: [flux], wrappers: [logo], collections: [collection("start")] })
          yield* (yield* Publishing).deprecate("acme/flux", "command")
          yield* (yield* Publishing).withdraw("collection", "start", "command")
          return yield* contents
        })
      )
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* onNode(contents), before)
    }).pipe(Effect.scoped, Effect.provide(TestNode.storeLayer))
  )

  it.effect("contains the release's models, with their own metering", () =>
    Effect.gen(function* () {
      yield* publishBuiltins
      const head = yield* (yield* EventReader).head
      yield* publishBuiltins
      assert.strictEqual(yield* (yield* EventReader).head, head)
      for (const { model, quantities } of BuiltinCatalog.builtinModels) {
        const entry = yield* find(model.endpoint)
        assert.deepStrictEqual(entry?.model, model)
        assert.isNotNull(entry)
        const units = yield* entry.quantities(model.exampleInput)
        assert.deepStrictEqual(units, quantities(model.exampleInput))
      }
    }).pipe(Effect.provide(node))
  )

  it.effect("keeps a definition withdrawn by an operator when the release ships it again", () =>
    Effect.gen(function* () {
      yield* publishBuiltins
      yield* (yield* Publishing).withdraw("model", "sandbox/echo", "command")
      yield* publishBuiltins
      assert.isNull(yield* find("sandbox/echo"))
    }).pipe(Effect.provide(node))
  )

  it.effect("finds every earlier definition, and the last one for an unknown version", () =>
    Effect.gen(function* () {
      yield* publish({ models: [flux] })
      yield* publish({ models: [better] })
      assert.deepStrictEqual((yield* find("acme/flux"))?.model, better)
      assert.deepStrictEqual((yield* findVersion("acme/flux", better.version))?.model, better)
      assert.deepStrictEqual((yield* findVersion("acme/flux", flux.version))?.model, flux)
      assert.deepStrictEqual((yield* findVersion("acme/flux", "none"))?.model, better)
      assert.isNull(yield* findVersion("acme/none", flux.version))

      yield* (yield* Publishing).withdraw("model", "acme/flux", "command")
      assert.isNull(yield* find("acme/flux"))
      assert.deepStrictEqual(yield* all, [])
      assert.deepStrictEqual((yield* findVersion("acme/flux", flux.version))?.model, flux)
      assert.deepStrictEqual((yield* findVersion("acme/flux", "none"))?.model, better)
    }).pipe(Effect.provide(node))
  )

  it.effect("finds an earlier wrapper, over its model at that time", () =>
    Effect.gen(function* () {
      yield* publish({ models: [flux], wrappers: [logo] })
      const entry = yield* find("acme/logo")
      assert.isNotNull(entry)
      assert.strictEqual(entry.model.version, versioned(logo, flux))
      assert.strictEqual(entry.runs, flux.endpoint)
      assert.deepStrictEqual(entry.runInput({ name: "you" }), { value: "hello you" })

      yield* publish({ models: [better] })
      assert.strictEqual((yield* find("acme/logo"))?.model.version, versioned(logo, better))
      yield* publish({ wrappers: [newLogo] })
      const [now, before] = [
        yield* findVersion("acme/logo", versioned(newLogo, better)),
        yield* findVersion("acme/logo", versioned(logo, flux))
      ]
      assert.deepStrictEqual(now?.runInput({ name: "you" }), { value: "goodbye you" })
      assert.deepStrictEqual(before?.runInput({ name: "you" }), { value: "hello you" })
      assert.strictEqual(before?.model.version, versioned(logo, flux))

      yield* (yield* Publishing).withdraw("wrapper", "acme/logo", "command")
      assert.deepStrictEqual(
        (yield* findVersion("acme/logo", "none"))?.model.version,
        versioned(newLogo, better)
      )
    }).pipe(Effect.provide(node))
  )

  it.effect("hides a wrapper whose model is withdrawn, is a wrapper, or does not exist", () =>
    Effect.gen(function* () {
      yield* publish({
        models: [flux],
        wrappers: [logo, wrapper("acme/twice", "acme/logo"), wrapper("acme/none", "acme/nothing")]
      })
      const offered = Effect.map(contents, ({ byEndpoint }) => [...byEndpoint.keys()])
      assert.deepStrictEqual(yield* offered, ["acme/flux", "acme/logo"])
      yield* (yield* Publishing).withdraw("model", "acme/flux", "command")
      assert.deepStrictEqual(yield* offered, [])
      assert.isNull(yield* find("acme/logo"))
      yield* publish({ models: [better] })
      assert.deepStrictEqual(yield* offered, ["acme/flux", "acme/logo"])
    }).pipe(Effect.provide(node))
  )

  it.effect("caches compiled entries and its list until they change", () =>
    Effect.gen(function* () {
      yield* publish({ models: [flux, model("acme/other")] })
      const [list, entry] = [yield* all, yield* find("acme/other")]
      assert.strictEqual(yield* all, list)
      yield* publish({ models: [better] })
      assert.notStrictEqual(yield* all, list)
      assert.strictEqual(yield* find("acme/other"), entry)
      assert.isNotNull(entry)
    }).pipe(Effect.provide(node))
  )

  it.effect("skips entries that it cannot read or compile", () =>
    Effect.gen(function* () {
      yield* publish({ models: [flux, model("acme/later"), model("acme/broken")] })
      yield* publishForeign(flux, { category: "smell" })
      const broken = model("acme/broken", { inputSchema: { type: "nothing" } })
      yield* publish({ models: [broken, model("acme/other")] })
      assert.isNull(yield* find("acme/flux"))
      assert.isNull(yield* find("acme/broken"))
      for (const { endpoint, version } of [broken, { endpoint: "acme/flux", version: "none" }]) {
        assert.instanceOf(yield* Effect.flip(findVersion(endpoint, version)), NotKnownHere)
        assert.instanceOf(yield* Effect.flip(lastOffered(endpoint)), NotKnownHere)
      }
      assert.isNotNull(yield* find("acme/later"))
      assert.isNotNull(yield* find("acme/other"))
      assert.isNotNull(yield* findVersion("acme/flux", flux.version))
    }).pipe(Effect.provide(node))
  )

  it.effect("returns the last offered definition at once, and none for a position beyond its rows", () =>
    Effect.gen(function* () {
      yield* publish({ models: [flux], wrappers: [logo] })
      yield* publish({ models: [better] })
      yield* (yield* Publishing).withdraw("model", "acme/flux", "command")
      const [last, wrapped] = [yield* lastOffered("acme/flux"), yield* lastOffered("acme/logo")]
      assert.deepStrictEqual(last?.model, better)
      assert.strictEqual(wrapped?.model.version, versioned(logo, better))
      assert.strictEqual(yield* lastOffered("acme/flux"), last)
      assert.instanceOf(yield* Effect.flip(lastOffered("acme/none")), NotKnownHere)
      assert.isNull(yield* lastOffered("acme/none"))
    }).pipe(Effect.provide(node))
  )

  it.effect("does not substitute a version it may not have yet, and does not report it as gone", () =>
    Effect.gen(function* () {
      yield* publish({ models: [flux] })
      yield* stopProjection
      assert.instanceOf(yield* Effect.flip(findVersion("acme/flux", better.version)), NotKnownHere)
      assert.deepStrictEqual((yield* findVersion("acme/flux", flux.version))?.model, flux)
      assert.deepStrictEqual((yield* lastOffered("acme/flux"))?.model, flux)
      for (let look = 0; look < 3; look++) {
        assert.instanceOf(yield* Effect.flip(lastOffered("acme/new")), NotKnownHere)
      }
    }).pipe(Effect.provide(node))
  )

  it.effect("hides a built-in model that this release does not have", () =>
    Effect.gen(function* () {
      const shipped = BuiltinCatalog.builtinModels.flatMap(({ model }) => model)[0]
      assert.isDefined(shipped)
      const gone = { ...shipped, endpoint: flux.endpoint }
      yield* publish({ models: [{ ...gone, version: Version.ofModel(gone) }] })
      assert.isNull(yield* find("acme/flux"))
    }).pipe(Effect.provide(node))
  )
})
