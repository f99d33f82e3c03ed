import { Effect, Layer } from "effect"
import type { Model } from "#domain/catalog/Model.ts"
import type { Wrapper } from "#domain/catalog/Wrapper.ts"
import * as Listing from "#domain/catalog/Listing.ts"
import * as Announcing from "./Announcing.ts"
import { CatalogActors } from "./CatalogActors.ts"
import { CatalogProgress } from "./CatalogProgress.ts"
import { type Batch, type Definitions, Publishing, type PublishOptions } from "./Publishing.ts"

/** Definitions of one kind published at the same time, which share commits of the log. */
const concurrency = 16

/** Batches published at the same time. */
const batchesAtOnce = 8

const make = Effect.gen(function* () {
  const actors = yield* CatalogActors
  const { caughtUp } = yield* CatalogProgress

  const models = Announcing.offerings(actors.offerings, "model", (model: Model) => ({
    ...model,
    definition: { kind: "model", model }
  }))
  const wrappers = Announcing.offerings(actors.offerings, "wrapper", (wrapper: Wrapper) => ({
    ...wrapper,
    definition: { kind: "wrapper", wrapper }
  }))
  const collections = Announcing.listings(
    actors.collections,
    "collection",
    Listing.collections,
    ({ slug }) => slug
  )
  const gpus = Announcing.listings(actors.gpus, "gpu", Listing.gpus, ({ id }) => id)
  const templates = Announcing.listings(
    actors.deploymentTemplates,
    "deployment-template",
    Listing.deploymentTemplates,
    ({ id }) => id
  )

  /** Finishes each batch, even if another one fails. */
  const publishEach = <Definition>(
    definitions: ReadonlyArray<Definition>,
    { publish }: Announcing.Announcing<Definition>,
    options: PublishOptions
  ) => Effect.forEach(definitions, (definition) => Effect.exit(publish(definition, options)), { concurrency })

  /** Models first, because other kinds name them. */
  const publishAll = (definitions: Definitions, options: PublishOptions) =>
    Effect.map(
      Effect.all([
        publishEach(definitions.models, models, options),
        publishEach(definitions.wrappers, wrappers, options),
        publishEach(definitions.collections, collections, options),
        publishEach(definitions.gpus, gpus, options),
        publishEach(definitions.templates, templates, options)
      ]),
      (kinds) => kinds.flat()
    )

  const publishBatch = Effect.fnUntraced(function* ({ definitions, deprecated, ...options }: Batch) {
    const published = yield* Effect.all(yield* publishAll(definitions, options))
    for (const endpoint of deprecated) {
      yield* Effect.catchTag(
        Announcing.deprecate(actors.offerings, endpoint, options.source),
        "ItemNotFound",
        () => Effect.void
      )
    }
    return published
  })

  const withdrawals = {
    model: models.withdraw,
    wrapper: wrappers.withdraw,
    collection: collections.withdraw,
    gpu: gpus.withdraw,
    "deployment-template": templates.withdraw
  }

  return Publishing.of({
    publish: Effect.fn("Publishing.publish")(function* (definitions, options) {
      const exits = yield* publishAll(definitions, options)
      yield* caughtUp
      return yield* Effect.all(exits)
    }),
    publishBatches: Effect.fn("Publishing.publishBatches")((batches) =>
      Effect.tap(
        Effect.forEach(batches, (batch) => Effect.result(publishBatch(batch)), {
          concurrency: batchesAtOnce
        }),
        () => caughtUp
      )
    ),
    deprecate: Effect.fn("Publishing.deprecate")((endpoint, source) =>
      Effect.andThen(Announcing.deprecate(actors.offerings, endpoint, source), caughtUp)
    ),
    withdraw: Effect.fn("Publishing.withdraw")((kind, name, source) =>
      Effect.andThen(withdrawals[kind](name, source), caughtUp)
    )
  })
})

/** With actors of its own. */
export const layerOwnActors = Layer.effect(Publishing, make).pipe(Layer.provide(CatalogActors.layer))
