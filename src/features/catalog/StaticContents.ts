/** The contents of a catalog that is not on the log, for benchmarks and tests. */
import * as crypto from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { Catalog } from "./models/Catalog.ts"
import { CatalogContents, type Contents, type ListedModel } from "./CatalogContents.ts"
import { CatalogProgress } from "./CatalogProgress.ts"

const make = Effect.gen(function* () {
  const entries = yield* (yield* Catalog).all
  const now = yield* Clock.currentTimeMillis
  const models = entries
    .map(({ model }): ListedModel => ({
      kind: "model",
      status: "active",
      model,
      createdAt: now,
      updatedAt: now
    }))
    .sort((a, b) => (a.model.endpoint < b.model.endpoint ? -1 : 1))
  const versions = models.map(({ model }) => `${model.endpoint} ${model.version}`)
  const contents: Contents = {
    revision: crypto.hash("sha256", versions.join("\n"), "base64url").slice(0, 22),
    models,
    wrappers: [],
    collections: [],
    gpus: [],
    templates: [],
    byEndpoint: new Map(models.map((listed) => [listed.model.endpoint, listed]))
  }
  return Context.make(CatalogContents, { current: Effect.succeed(contents) })
})

/** All models of the catalog, published when the program started. */
export const layer = Layer.merge(Layer.effectContext(make), CatalogProgress.layerStatic)
