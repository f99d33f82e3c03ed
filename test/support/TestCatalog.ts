/** The catalog of a test: fixed models, or what is published on its log. */
import { Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Projections } from "#projections/Projections.ts"
import type { ReadModels } from "#projections/ReadModels.ts"
import * as ActorPublishing from "#src/features/catalog/ActorPublishing.ts"
import type { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import type { CatalogProgress } from "#src/features/catalog/CatalogProgress.ts"
import * as LogCatalog from "#src/features/catalog/LogCatalog.ts"
import * as StaticContents from "#src/features/catalog/StaticContents.ts"
import type { Catalog } from "#src/features/catalog/models/Catalog.ts"
import type { EventReader, EventStoreError } from "#streams/EventReader.ts"

type CatalogLayer = Layer.Layer<
  Catalog | CatalogContents | CatalogProgress,
  EventStoreError | SqlError,
  EventReader | Projections | ReadModels
>

/** `null`: the models on the log. */
export const contents = (models: Layer.Layer<Catalog> | null): CatalogLayer =>
  models === null ? LogCatalog.layer : StaticContents.layer.pipe(Layer.provideMerge(models))

/** Publishing writes to the log in any case. */
export const layer = (models: Layer.Layer<Catalog> | null) =>
  ActorPublishing.layerOwnActors.pipe(Layer.provideMerge(contents(models)))
