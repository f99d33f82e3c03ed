import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as ModelWarnings from "#src/cli/workers/ModelWarnings.ts"
import { model, wrapper } from "#test/support/CatalogDefinitions.ts"
import { layers, quiet } from "#test/support/src/edges/admin/AdministrationLayers.ts"

describe("The models of a new worker key", () => {
  it.live("cause a warning when workers get no jobs for them", () =>
    Effect.gen(function* () {
      const administration = yield* Administration
      const definitions = { collections: [], gpus: [], templates: [], source: "command", reactivates: false }
      yield* administration.publishDefinitions({
        ...definitions,
        models: [
          model("acme/pushed"),
          model("acme/gone"),
          model("acme/pulled", {
            providers: [
              { name: "acme", adapter: "http" },
              { name: "fleet", adapter: "pull" }
            ]
          })
        ],
        wrappers: [wrapper("acme/wrapped", "acme/pulled")]
      })
      yield* administration.withdrawItem({ kind: "model", name: "acme/gone", force: false })
      const given = ["acme/pulled", "acme/none", "acme/pushed", "acme/wrapped", "acme/gone"]
      assert.deepStrictEqual(yield* ModelWarnings.of(given), [
        "The catalog has no model acme/none: it has no jobs",
        "acme/pushed has no provider of adapter pull: it has no jobs for workers",
        "acme/wrapped is a wrapper: its jobs are those of its base model acme/pulled",
        "acme/gone is withdrawn: it has no jobs"
      ])
    }).pipe(Effect.provide(Layer.provide(layers.local, quiet)))
  )
})
