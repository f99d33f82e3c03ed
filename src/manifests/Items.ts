/** Definitions that manifests have come to, each with its file. */
import type { Collection } from "#domain/catalog/Collection.ts"
import type { DeploymentTemplate } from "#domain/catalog/DeploymentTemplate.ts"
import type { Gpu } from "#domain/catalog/Gpu.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { Wrapper } from "#domain/catalog/Wrapper.ts"
import type { Definitions } from "#src/catalog/Publishing.ts"
import type { CatalogEntry } from "#src/models/Catalog.ts"

export interface Runnable {
  readonly entry: CatalogEntry
  /** Its manifest says so. */
  readonly isDeprecated: boolean
}

export type Item = { readonly file: string; readonly name: string } & (
  | ({ readonly kind: "model"; readonly model: Model } & Runnable)
  | ({ readonly kind: "wrapper"; readonly wrapper: Wrapper } & Runnable)
  | { readonly kind: "collection"; readonly collection: Collection }
  | { readonly kind: "gpu"; readonly gpu: Gpu }
  | { readonly kind: "deployment-template"; readonly template: DeploymentTemplate }
)

export const isDeprecated = (item: Item): boolean => "isDeprecated" in item && item.isDeprecated

export const definitionsOf = (items: ReadonlyArray<Item>): Definitions => ({
  models: items.flatMap((item) => (item.kind === "model" ? [item.model] : [])),
  wrappers: items.flatMap((item) => (item.kind === "wrapper" ? [item.wrapper] : [])),
  collections: items.flatMap((item) => (item.kind === "collection" ? [item.collection] : [])),
  gpus: items.flatMap((item) => (item.kind === "gpu" ? [item.gpu] : [])),
  templates: items.flatMap((item) => (item.kind === "deployment-template" ? [item.template] : []))
})
