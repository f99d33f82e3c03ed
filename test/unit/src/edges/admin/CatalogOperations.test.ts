import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Administration } from "#src/edges/admin/Administration.ts"
import { Gpu } from "#domain/catalog/Gpu.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as Money from "#domain/Money.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { definitionsOf } from "#src/features/manifests/Items.ts"
import { collection, model, template, wrapper } from "#test/support/CatalogDefinitions.ts"
import * as Folder from "#test/support/src/features/manifests/ManifestFolder.ts"
import { layers, quiet } from "#test/support/src/edges/admin/AdministrationLayers.ts"

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
      "publishes, lists and shows definitions with their history, and withdraws them",
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
        const changes = Effect.map(publish, ({ items }) =>
          items.map(({ change, name }) => `${name} ${change}`)
        )
        assert.deepStrictEqual(yield* changes, ["acme/one created", "acme/wrapped created"])
        assert.deepStrictEqual(yield* changes, ["acme/one unchanged", "acme/wrapped unchanged"])
        yield* administration.publishDefinitions({ ...definitions, models: [], wrappers: [], gpus: [gpu(8)] })

        yield* administration.deprecateItem({ name: "acme/one" })
        yield* administration.withdrawItem({ kind: "wrapper", name: "acme/wrapped", force: false })
        const { data: listed } = yield* administration.listItems({ after: null })
        assert.deepStrictEqual(
          listed.map(({ kind, name, status }) => [kind, name, status]),
          [
            ["gpu", "acme-gpu", "active"],
            ["model", "acme/one", "deprecated"],
            ["wrapper", "acme/wrapped", "withdrawn"]
          ]
        )
        const { data: rest } = yield* administration.listItems({ after: { kind: "model", name: "acme/one" } })
        assert.deepStrictEqual(rest, listed.slice(2))
        assert.deepStrictEqual(yield* changes, ["acme/one reactivated", "acme/wrapped reactivated"])

        const shown = yield* administration.showItem({ kind: null, name: "acme/one" })
        assert.deepStrictEqual(
          shown.history.map(({ source, type, version }) => [type, source, version]),
          [
            ["ModelPublished", "command", shown.version],
            ["ModelDeprecated", "command", null],
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
      "keeps the digits and the order of members of a manifest",
      Effect.gen(function* () {
        const administration = yield* Administration
        const exact = '{"z":18446744073709551615,"a":1.10}'
        const exactly = (manifest: string) => manifest.replace(/exampleInput: .*/, `exampleInput: ${exact}`)
        const { items } = yield* Effect.scoped(
          Folder.check({
            "a.yaml": exactly(Folder.model("acme/exact")),
            "b.yaml": Folder.wrapper("acme/wrapped", "acme/exact").replace(
              /template: .*/,
              `template: { text: "{{who}}", exact: ${exact} }`
            )
          })
        )
        yield* administration.publishDefinitions({ ...definitionsOf(items), ...byCommand })
        const shown = (name: string) =>
          Effect.map(administration.showItem({ kind: null, name }), ({ definition }) =>
            JsonText.write(definition)
          )
        assert.include(yield* shown("acme/exact"), `"exampleInput":${exact}`)
        assert.include(yield* shown("acme/wrapped"), `"template":{"text":"{{who}}","exact":${exact}}`)
        // The same again is no other definition.
        const again = yield* administration.publishDefinitions({ ...definitionsOf(items), ...byCommand })
        assert.deepStrictEqual(
          again.items.map(({ change }) => change),
          ["unchanged", "unchanged"]
        )
      })
    )

    test(
      "withdraws a required definition only when forced, and nothing twice",
      Effect.gen(function* () {
        const administration = yield* Administration
        const errorAnswer = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
          Effect.map(Effect.flip(effect), ({ message }) => message)
        yield* administration.publishDefinitions({
          models: [model("acme/base"), model("acme/other")],
          wrappers: [wrapper("acme/one", "acme/base"), wrapper("acme/two", "acme/other")],
          collections: [collection("best", ["acme/one"]), collection("rest", ["acme/two"])],
          gpus: [gpu(8)],
          templates: [{ ...template("vllm"), gpuIds: ["acme-gpu"] }, template("tgi")],
          ...byCommand
        })
        const base = { kind: "model", name: "acme/base" } as const
        assert.strictEqual(
          yield* errorAnswer(administration.withdrawItem({ ...base, force: false })),
          "The model acme/base is used by the collection best, the wrapper acme/one: add --force to withdraw it anyway"
        )
        assert.strictEqual(
          yield* errorAnswer(administration.withdrawItem({ kind: "gpu", name: "acme-gpu", force: false })),
          "The gpu acme-gpu is used by the deployment-template vllm: add --force to withdraw it anyway"
        )
        const status = Effect.map(
          administration.showItem({ kind: null, name: "acme/base" }),
          (item) => item.status
        )
        assert.strictEqual(yield* status, "active")
        assert.deepStrictEqual(yield* administration.withdrawItem({ ...base, force: true }), {
          change: "withdrawn",
          dependents: [
            { kind: "collection", name: "best" },
            { kind: "wrapper", name: "acme/one" }
          ]
        })
        assert.deepStrictEqual(yield* administration.withdrawItem({ ...base, force: false }), {
          change: "unchanged",
          dependents: []
        })
        const { history } = yield* administration.showItem({ kind: null, name: "acme/base" })
        assert.deepStrictEqual(
          history.map(({ source, type }) => [type, source]),
          [
            ["ModelPublished", "command"],
            ["ModelWithdrawn", "command"]
          ]
        )

        // A withdrawn item depends on nothing.
        yield* administration.withdrawItem({ kind: "deployment-template", name: "vllm", force: false })
        const { dependents } = yield* administration.withdrawItem({
          kind: "gpu",
          name: "acme-gpu",
          force: false
        })
        assert.deepStrictEqual(dependents, [])

        assert.strictEqual(
          yield* errorAnswer(administration.deprecateItem({ name: "tgi" })),
          "tgi is a deployment-template: only models and wrappers can be deprecated"
        )
        assert.strictEqual(
          yield* errorAnswer(administration.deprecateItem({ name: "acme/base" })),
          "acme/base is withdrawn"
        )
      })
    )

    test(
      "rejects unknown definitions, ambiguous names, and endpoints of the other kind",
      Effect.gen(function* () {
        const administration = yield* Administration
        const errorAnswer = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
          Effect.map(Effect.flip(effect), ({ message }) => message)
        const none = "The catalog has no acme/none"
        assert.strictEqual(
          yield* errorAnswer(administration.showItem({ kind: null, name: "acme/none" })),
          none
        )
        assert.strictEqual(yield* errorAnswer(administration.deprecateItem({ name: "acme/none" })), none)
        assert.strictEqual(
          yield* errorAnswer(administration.withdrawItem({ kind: "gpu", name: "acme/none", force: false })),
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
          yield* errorAnswer(administration.showItem({ kind: null, name: "acme-gpu" })),
          "acme-gpu is a collection and a gpu: choose one with --kind"
        )
        const [echo] = BuiltinCatalog.builtinModels
        const [wrapper] = both.wrappers
        assert.isTrue(echo !== undefined && wrapper !== undefined)
        if (echo === undefined || wrapper === undefined) return
        const taken = { ...both, wrappers: [], models: [{ ...echo.model, endpoint: wrapper.endpoint }] }
        assert.strictEqual(
          yield* errorAnswer(administration.publishDefinitions(taken)),
          "acme/echo is taken: the names of models and wrappers are one, and none becomes the other"
        )
      })
    )

    test(
      "accepts definitions of hundreds of kilobytes",
      Effect.gen(function* () {
        const administration = yield* Administration
        const empty = { models: [], wrappers: [], collections: [], gpus: [], templates: [], ...byCommand }
        const { items } = yield* administration.publishDefinitions({
          ...empty,
          collections: [{ slug: "large", name: "L", description: "x".repeat(500_000), models: [] }]
        })
        assert.strictEqual(items[0]?.change, "created")
      })
    )
  })
}
