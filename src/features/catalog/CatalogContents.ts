/** What the catalog shows: everything that is published and not withdrawn, as of one moment. */
import { Context, type Effect } from "effect"
import type { Collection } from "#domain/catalog/Collection.ts"
import type { DeploymentTemplate } from "#domain/catalog/DeploymentTemplate.ts"
import type { Gpu } from "#domain/catalog/Gpu.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { Wrapper } from "#domain/catalog/Wrapper.ts"

/** Times are Unix time in ms. */
interface Published {
  /** When it was published for the first time. */
  readonly createdAt: number
  /** When what is shown of it last changed. */
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
  /** As it is now. Of a base model that was withdrawn the wrapper is withdrawn, too: it is not listed. */
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
  /** Another one whenever anything below is: made once for each change, so that readers may keep what they make of it. */
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
    /** As of now: what this node published is in it, what another one did is within a second or two. */
    readonly current: Effect.Effect<Contents>
  }
>()("inferlog/src/features/catalog/CatalogContents") {}
