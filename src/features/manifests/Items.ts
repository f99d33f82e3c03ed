/** The definitions that manifests result in, with their files. */
import type { Collection } from "#domain/catalog/Collection.ts"
import type { DeploymentTemplate } from "#domain/catalog/DeploymentTemplate.ts"
import * as MemberOrder from "#domain/catalog/MemberOrder.ts"
import type { Gpu } from "#domain/catalog/Gpu.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { Wrapper } from "#domain/catalog/Wrapper.ts"
import type { Definitions } from "#src/features/catalog/Publishing.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"

interface Runnable {
  /** `null` if the catalog offers it unchanged. */
  readonly entry: CatalogEntry | null
  /** According to its manifest. */
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

export const keyOf = ({ kind, name }: Pick<Item, "kind" | "name">): string => `${kind} ${name}`

const withoutBigints = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : value

/** Changes whenever the item does. */
export const markOf = (item: Item): string => {
  switch (item.kind) {
    case "model":
      return JSON.stringify([item.model.version, item.isDeprecated, MemberOrder.textsOf(item.model)])
    case "wrapper":
      return JSON.stringify([item.wrapper.version, item.isDeprecated, MemberOrder.textsOf(item.wrapper)])
    case "collection":
      return JSON.stringify(item.collection)
    case "gpu":
      return JSON.stringify(item.gpu, withoutBigints)
    case "deployment-template":
      return JSON.stringify(item.template)
  }
}
