import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Administration } from "#src/admin/Administration.ts"
import { Gpu } from "#domain/catalog/Gpu.ts"
import * as Money from "#domain/Money.ts"
import * as BuiltinCatalog from "#src/models/BuiltinCatalog.ts"
import { definitionsOf } from "#src/manifests/Items.ts"
import * as Folder from "#test/src/manifests/ManifestFolder.ts"
import { layers, quiet } from "./AdministrationLayers.ts"

const byCommand = { source: "command", reactivates: true }

const gpu = (memoryGb: number) =>
  Gpu.make({
    id: "acme-gpu",
    name: "Acme",
    manufacturer: "Acme",
    memoryGb,
    pricePerHour: Money.NanoUsd.make(500_000_000n),
    availability: "available",
    maxCount: 8
  })

for (const [name, layer] of Object.entries(layers)) {
  describe(`Administration of the catalog, ${name}`, () => {
    const test = (what: string, effect: Effect.Effect<void, unknown, Layer.Success<typeof layer>>) =>
      it.live(what, () => effect.pipe(Effect.provide(Layer.provide(layer, quiet))))

    test(
      "publishes, lists and shows definitions with how they came to be, and takes them away again",
      Effect.gen(function* () {
        const administration = yield* Administration
        const { items } = yield* Effect.scoped(
          Folder.check({
            "a.yaml": Folder.model("acme/one"),
            "b.yaml": Folder.wrapper("acme/wrapped", "acme/one")
          })
        )
        const definitions = { ...definitionsOf(items), ...byCommand }
        const publish = administration.publishDefinitions(definitions)
        const changes = Effect.map(publish, (all) => all.map(({ change, name }) => `${name} ${change}`))
        assert.deepStrictEqual(yield* changes, ["acme/one created", "acme/wrapped created"])
        assert.deepStrictEqual(yield* changes, ["acme/one unchanged", "acme/wrapped unchanged"])
        yield* administration.publishDefinitions({ ...definitions, models: [], wrappers: [], gpus: [gpu(8)] })

        yield* administration.deprecateItem({ name: "acme/one" })
        yield* administration.withdrawItem({ kind: "wrapper", name: "acme/wrapped" })
        const listed = yield* administration.listItems({ after: null })
        assert.deepStrictEqual(
          listed.map(({ kind, name, status }) => [kind, name, status]),
          [
            ["gpu", "acme-gpu", "active"],
            ["model", "acme/one", "deprecated"],
            ["wrapper", "acme/wrapped", "withdrawn"]
          ]
        )
        const rest = yield* administration.listItems({ after: { kind: "model", name: "acme/one" } })
        assert.deepStrictEqual(rest, listed.slice(2))
        assert.deepStrictEqual(yield* changes, ["acme/one reactivated", "acme/wrapped reactivated"])

        const shown = yield* administration.showItem({ kind: null, name: "acme/one" })
        assert.deepStrictEqual(
          shown.history.map(({ source, type, version }) => [type, source, version]),
          [
            ["ModelPublished", "command", shown.version],
            ["ModelDeprecated", null, null],
            ["ModelReactivated", "command", null]
          ]
        )
        assert.deepStrictEqual(
          yield* Effect.map(
            administration.showItem({ kind: "gpu", name: "acme-gpu" }),
            (item) => item.definition
          ),
          { ...gpu(8), pricePerHour: "500000000" }
        )
      })
    )

    test(
      "refuses what is not there, names that do not tell, and endpoints of the other kind",
      Effect.gen(function* () {
        const administration = yield* Administration
        const refusal = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
          Effect.map(Effect.flip(effect), ({ message }) => message)
        const none = "The catalog has no acme/none"
        assert.strictEqual(yield* refusal(administration.showItem({ kind: null, name: "acme/none" })), none)
        assert.strictEqual(yield* refusal(administration.deprecateItem({ name: "acme/none" })), none)
        assert.strictEqual(
          yield* refusal(administration.withdrawItem({ kind: "gpu", name: "acme/none" })),
          none
        )

        const { items } = yield* Effect.scoped(
          Folder.check({
            "a.yaml": Folder.wrapper("acme/echo", "sandbox/echo").replace("{ text:", "{ value:")
          })
        )
        const collection = { slug: "acme-gpu", name: "Acme", description: "", models: [] }
        const both = { ...definitionsOf(items), ...byCommand, gpus: [gpu(8)], collections: [collection] }
        yield* administration.publishDefinitions(both)
        assert.strictEqual(
          yield* refusal(administration.showItem({ kind: null, name: "acme-gpu" })),
          "acme-gpu is a collection and a gpu: say which with --kind"
        )
        const [echo] = BuiltinCatalog.builtinModels
        const [wrapper] = both.wrappers
        assert.isTrue(echo !== undefined && wrapper !== undefined)
        if (echo === undefined || wrapper === undefined) return
        const taken = { ...both, wrappers: [], models: [{ ...echo.model, endpoint: wrapper.endpoint }] }
        assert.strictEqual(
          yield* refusal(administration.publishDefinitions(taken)),
          "acme/echo is taken: the names of models and wrappers are one, and none becomes the other"
        )
      })
    )

    test(
      "takes definitions of hundreds of kilobytes at once",
      Effect.gen(function* () {
        const administration = yield* Administration
        const empty = { models: [], wrappers: [], collections: [], gpus: [], templates: [], ...byCommand }
        const [published] = yield* administration.publishDefinitions({
          ...empty,
          collections: [{ slug: "large", name: "L", description: "x".repeat(500_000), models: [] }]
        })
        assert.strictEqual(published?.change, "created")
      })
    )
  })
}
