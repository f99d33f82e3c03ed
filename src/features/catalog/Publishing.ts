/** Publishes definitions, with events only for changes. */
import { Context, type Effect, type Result, Schema } from "effect"
import type { Collection } from "#domain/catalog/Collection.ts"
import type { DeploymentTemplate } from "#domain/catalog/DeploymentTemplate.ts"
import type { Gpu } from "#domain/catalog/Gpu.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { Wrapper } from "#domain/catalog/Wrapper.ts"
import type { EventStoreError } from "#streams/EventReader.ts"

/** Valid by themselves and together, as `manifests/` checks. Versions are set (`models/Version`). */
export interface Definitions {
  readonly models: ReadonlyArray<Model>
  readonly wrappers: ReadonlyArray<Wrapper>
  readonly collections: ReadonlyArray<Collection>
  readonly gpus: ReadonlyArray<Gpu>
  readonly templates: ReadonlyArray<DeploymentTemplate>
}

export const ItemKind = Schema.Literals(["model", "wrapper", "collection", "gpu", "deployment-template"])
export type ItemKind = typeof ItemKind.Type

/** The result for one definition. */
export const PublishedItem = Schema.Struct({
  kind: ItemKind,
  /** Endpoint, slug or id. */
  name: Schema.String,
  change: Schema.Literals(["created", "updated", "reactivated", "unchanged"]),
  /** Of models and wrappers. */
  version: Schema.NullOr(Schema.String)
})
export type PublishedItem = typeof PublishedItem.Type

/** The endpoint belongs to a wrapper instead of a model, or the other way round. */
export class EndpointTaken extends Schema.TaggedError<EndpointTaken>()("EndpointTaken", {
  name: Schema.String
}) {
  override get message(): string {
    return `${this.name} is taken: the names of models and wrappers are one, and none becomes the other`
  }
}

/** No such item, or it was withdrawn. */
export class ItemNotFound extends Schema.TaggedError<ItemNotFound>()("ItemNotFound", {
  name: Schema.String
}) {
  override get message(): string {
    return `The catalog has no ${this.name}`
  }
}

export interface PublishOptions {
  /** Origin: `builtin`, a file's path below its root, or `command`. Part of the events. */
  readonly source: string
  /** Whether to offer deprecated or withdrawn items again although their definitions have not changed. */
  readonly reactivates: boolean
}

/** Items published together, such as a file of manifests. */
export interface Batch extends PublishOptions {
  readonly definitions: Definitions
  /** Endpoints to deprecate after publishing. Withdrawn ones stay withdrawn. */
  readonly deprecated: ReadonlyArray<string>
}

export type PublishError = EndpointTaken | EventStoreError

export class Publishing extends Context.Service<
  Publishing,
  {
    /** Durable and in this node's catalog when it returns. A definition that fails does not stop the others. */
    publish(
      definitions: Definitions,
      options: PublishOptions
    ): Effect.Effect<ReadonlyArray<PublishedItem>, PublishError>
    /** As `publish`, for several batches. The catalog is refreshed once, after the last. */
    publishBatches(
      batches: ReadonlyArray<Batch>
    ): Effect.Effect<ReadonlyArray<Result.Result<ReadonlyArray<PublishedItem>, PublishError>>>
    /** Deprecates a model or wrapper, which still runs. Repeating it changes nothing. */
    deprecate(endpoint: string, source: string): Effect.Effect<void, ItemNotFound | EventStoreError>
    /** Hides it and refuses new requests (404). Accepted requests end normally. */
    withdraw(
      kind: ItemKind,
      name: string,
      source: string
    ): Effect.Effect<void, ItemNotFound | EventStoreError>
  }
>()("inferlog/src/features/catalog/Publishing") {}
