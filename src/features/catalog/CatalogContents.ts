/** What the catalog shows: everything published and not withdrawn. */
import { Context, type Effect } from "effect"
import type { Collection } from "#domain/catalog/Collection.ts"
import type { DeploymentTemplate } from "#domain/catalog/DeploymentTemplate.ts"
import type { Gpu } from "#domain/catalog/Gpu.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { Wrapper } from "#domain/catalog/Wrapper.ts"

/** Times are Unix time in ms. */
interface Published {
  /** When it was first published. */
  readonly createdAt: number
  /** When its shown content last changed. */
  readonly updatedAt: number
}

export interface ListedModel extends Published {
  readonly kind: "model"
  readonly status: "active" | "deprecated"
  readonly model: Model
}

export interface ListedWrapper extends Published {
  readonly kind: "wrapper"
  readonly status: "active" | "deprecated"
  readonly wrapper: Wrapper
  /** The current version. A wrapper whose base model is withdrawn is not listed. */
  readonly base: Model
}

/** What can be run. */
export type Listed = ListedModel | ListedWrapper

export interface ListedCollection extends Published {
  readonly collection: Collection
}
export interface ListedGpu extends Published {
  readonly gpu: Gpu
}
export interface ListedTemplate extends Published {
  readonly template: DeploymentTemplate
}

export interface Contents {
  /** Changes whenever anything below does, so that readers may cache by it. */
  readonly revision: string
  /** Each list newest first by `updatedAt`, then by name. */
  readonly models: ReadonlyArray<ListedModel>
  readonly wrappers: ReadonlyArray<ListedWrapper>
  readonly collections: ReadonlyArray<ListedCollection>
  readonly gpus: ReadonlyArray<ListedGpu>
  readonly templates: ReadonlyArray<ListedTemplate>
  /** A model or a wrapper. */
  readonly byEndpoint: ReadonlyMap<string, Listed>
}

export class CatalogContents extends Context.Service<
  CatalogContents,
  {
    /** The current contents: with this node's changes at once, and another node's within a second or two. */
    readonly current: Effect.Effect<Contents>
  }
>()("inferlog/src/features/catalog/CatalogContents") {}
