/** Publishing: from definitions to events, as few as the changes are. */
import { Context, type Effect, type Result, Schema } from "effect"
import type { Collection } from "#domain/catalog/Collection.ts"
import type { DeploymentTemplate } from "#domain/catalog/DeploymentTemplate.ts"
import type { Gpu } from "#domain/catalog/Gpu.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { Wrapper } from "#domain/catalog/Wrapper.ts"
import type { EventStoreError } from "#streams/EventReader.ts"

/** Good by themselves and together: `manifests/` sees to that. Versions are right (`models/Version`). */
export interface Definitions {
  readonly models: ReadonlyArray<Model>
  readonly wrappers: ReadonlyArray<Wrapper>
  readonly collections: ReadonlyArray<Collection>
  readonly gpus: ReadonlyArray<Gpu>
  readonly templates: ReadonlyArray<DeploymentTemplate>
}

export const ItemKind = Schema.Literals(["model", "wrapper", "collection", "gpu", "deployment-template"])
export type ItemKind = typeof ItemKind.Type

/** What has become of one definition. */
export const PublishedItem = Schema.Struct({
  kind: ItemKind,
  /** Endpoint, slug or id. */
  name: Schema.String,
  change: Schema.Literals(["created", "updated", "reactivated", "unchanged"]),
  /** Of models and wrappers. */
  version: Schema.NullOr(Schema.String)
})
export type PublishedItem = typeof PublishedItem.Type

/** The endpoint is a wrapper's and was to be a model's, or the other way round. */
export class EndpointTaken extends Schema.TaggedError<EndpointTaken>()("EndpointTaken", {
  name: Schema.String
}) {
  override get message(): string {
    return `${this.name} is taken: the names of models and wrappers are one, and none becomes the other`
  }
}

/** There is none of that kind and name, or it was withdrawn. */
export class ItemNotFound extends Schema.TaggedError<ItemNotFound>()("ItemNotFound", {
  name: Schema.String
}) {
  override get message(): string {
    return `The catalog has no ${this.name}`
  }
}

export interface PublishOptions {
  /** Who says so: `builtin`, a file's path below its root, `command`. It is in the events, to explain them later. */
  readonly source: string
  /** Whether what was deprecated or withdrawn is offered again, though its definition has not changed. */
  readonly reactivates: boolean
}

/** What is published together, as one file of manifests. */
export interface Batch extends PublishOptions {
  readonly definitions: Definitions
  /** Endpoints that say, once they are published, that they should not be used any more. What is withdrawn stays so. */
  readonly deprecated: ReadonlyArray<string>
}

export type PublishError = EndpointTaken | EventStoreError

export class Publishing extends Context.Service<
  Publishing,
  {
    /** Durable, and shown by this node's catalog, when it returns. One definition that fails leaves the others published. */
    publish(
      definitions: Definitions,
      options: PublishOptions
    ): Effect.Effect<ReadonlyArray<PublishedItem>, PublishError>
    /** As `publish`, each batch to its end whatever becomes of the others: the catalog is read again once, after the last. */
    publishBatches(
      batches: ReadonlyArray<Batch>
    ): Effect.Effect<ReadonlyArray<Result.Result<ReadonlyArray<PublishedItem>, PublishError>>>
    /** A model or a wrapper: it runs on, and says that it should not be used any more. Repeated it changes nothing. */
    deprecate(endpoint: string, source: string): Effect.Effect<void, ItemNotFound | EventStoreError>
    /** No longer shown nor accepted (404). Requests that were accepted end as if nothing had happened. */
    withdraw(
      kind: ItemKind,
      name: string,
      source: string
    ): Effect.Effect<void, ItemNotFound | EventStoreError>
  }
>()("inferlog/src/features/catalog/Publishing") {}
