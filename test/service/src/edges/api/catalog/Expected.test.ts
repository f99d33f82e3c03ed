import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ListedModel } from "#src/features/catalog/CatalogContents.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import * as ItemTexts from "#src/edges/api/catalog/ItemTexts.ts"
import { model } from "#test/support/src/edges/api/catalog/ShownCatalog.ts"

const listed: ListedModel = {
  kind: "model",
  status: "active",
  model: model("acme/flux"),
  createdAt: 0,
  updatedAt: 1
}

describe("the expected duration of a model's runs", () => {
  it.effect("is the last learned one", () =>
    Effect.gen(function* () {
      let samples = 0
      const text = yield* Effect.provideService(ItemTexts.listings, Expectations, {
        of: (endpoint) =>
          endpoint === "acme/flux" && samples > 0
            ? { p50Seconds: 0.8, p90Seconds: 2, samples, waitSeconds: 12.5 }
            : null
      })
      const expected = () => JSON.parse(text(listed)).expected
      assert.isNull(expected())
      for (samples of [5, 6]) {
        assert.deepStrictEqual(expected(), { p50Seconds: 0.8, p90Seconds: 2, samples, waitSeconds: 12.5 })
      }
    })
  )
})
