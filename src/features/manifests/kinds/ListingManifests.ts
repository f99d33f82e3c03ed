/** `kind: collection`, `gpu` and `deployment-template` (docs/reference/manifests.md). */
import { Schema } from "effect"
import type { Collection } from "#domain/catalog/Collection.ts"
import type { DeploymentTemplate } from "#domain/catalog/DeploymentTemplate.ts"
import { Gpu } from "#domain/catalog/Gpu.ts"
import { Category } from "#domain/catalog/Model.ts"
import * as Fields from "./Fields.ts"

const text = (maximum: number) =>
  Schema.String.check(
    Schema.makeFilter((value) => value.trim() !== "" && value.length <= maximum, {
      expected: `1 to ${maximum} characters`
    })
  )

const several = <S extends Schema.Constraint>(item: S) =>
  Schema.Array(item).check(
    Schema.makeFilter((items) => items.length >= 1 && items.length <= 1_000, {
      expected: "1 to 1000 of them"
    }),
    Schema.makeFilter((items) => new Set(items).size === items.length, { expected: "each of them once" })
  )

export const CollectionManifest = Schema.Struct({
  kind: Schema.Literal("collection"),
  name: Fields.Slug,
  ...Fields.words,
  models: several(Fields.Endpoint)
})

export const collectionOf = (manifest: typeof CollectionManifest.Type): Collection => ({
  slug: manifest.name,
  name: manifest.displayName,
  description: manifest.description ?? "",
  models: manifest.models
})

export const GpuManifest = Schema.Struct({
  kind: Schema.Literal("gpu"),
  name: Fields.Slug,
  displayName: Fields.words.displayName,
  manufacturer: text(100),
  memoryGb: Fields.integer(1, 10_000),
  pricePerHour: Fields.Usd,
  availability: Schema.optionalKey(Gpu.fields.availability),
  maxCount: Schema.optionalKey(Fields.integer(1, 1_000))
})

export const gpuOf = (manifest: typeof GpuManifest.Type): Gpu => ({
  id: manifest.name,
  name: manifest.displayName,
  manufacturer: manifest.manufacturer,
  memoryGb: manifest.memoryGb,
  pricePerHour: Fields.nanoUsd(manifest.pricePerHour),
  availability: manifest.availability ?? "available",
  maxCount: manifest.maxCount ?? 8
})

const environmentNames = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/

const Environment = Schema.Record(Schema.String, Schema.String).check(
  Schema.makeFilter((env) => Object.keys(env).every((name) => environmentNames.test(name)), {
    expected: "names of environment variables"
  })
)

export const TemplateManifest = Schema.Struct({
  kind: Schema.Literal("deployment-template"),
  name: Fields.Slug,
  ...Fields.words,
  category: Category,
  image: text(512),
  gpus: several(Fields.Slug),
  minReplicas: Schema.optionalKey(Fields.integer(0, 1_000)),
  maxReplicas: Schema.optionalKey(Fields.integer(1, 1_000)),
  env: Schema.optionalKey(Environment),
  ports: Schema.optionalKey(Schema.Array(Fields.integer(1, 65_535))),
  public: Schema.optionalKey(Schema.Boolean)
}).check(
  Schema.makeFilter(({ maxReplicas = 1, minReplicas = 0 }) =>
    minReplicas <= maxReplicas
      ? undefined
      : { path: ["minReplicas"], issue: "Expected at most what maxReplicas is" }
  )
)

export const templateOf = (manifest: typeof TemplateManifest.Type): DeploymentTemplate => ({
  id: manifest.name,
  name: manifest.displayName,
  description: manifest.description ?? "",
  category: manifest.category,
  image: manifest.image,
  gpuIds: manifest.gpus,
  minReplicas: manifest.minReplicas ?? 0,
  maxReplicas: manifest.maxReplicas ?? 1,
  env: manifest.env ?? {},
  ports: manifest.ports ?? [],
  public: manifest.public ?? true
})
