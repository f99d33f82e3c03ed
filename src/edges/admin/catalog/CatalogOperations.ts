/** What an operator sees and changes of the catalog: part of `Administration`. Times are Unix time in ms. */
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Collection } from "#domain/catalog/Collection.ts"
import { DeploymentTemplate } from "#domain/catalog/DeploymentTemplate.ts"
import { Gpu } from "#domain/catalog/Gpu.ts"
import { Model } from "#domain/catalog/Model.ts"
import { Wrapper } from "#domain/catalog/Wrapper.ts"
import { EndpointTaken, ItemKind, ItemNotFound, PublishedItem } from "#src/features/catalog/Publishing.ts"
import { GlobalPosition } from "#streams/GlobalPosition.ts"
import { AdministrationFailed } from "../AdministrationFailed.ts"

/** Items that a page lists at most. */
export const mostListed = 1_000

export const PublishDefinitions = Schema.Struct({
  models: Schema.Array(Model),
  wrappers: Schema.Array(Wrapper),
  collections: Schema.Array(Collection),
  gpus: Schema.Array(Gpu),
  templates: Schema.Array(DeploymentTemplate),
  source: Schema.String,
  reactivates: Schema.Boolean
})

const Status = Schema.Literals(["active", "deprecated", "withdrawn"])
type Status = typeof Status.Type

export const ListedItem = Schema.Struct({
  kind: ItemKind,
  /** Endpoint, slug or id. */
  name: Schema.String,
  displayName: Schema.String,
  status: Status,
  /** Of models and wrappers. */
  version: Schema.NullOr(Schema.String),
  /** Of the whole definition, of whatever kind (`models/Version`). */
  fingerprint: Schema.String,
  createdAt: Schema.Int,
  updatedAt: Schema.Int
})
export type ListedItem = typeof ListedItem.Type

/** `after`: the last item of the page before; `null` for the first page. */
const ListItems = Schema.Struct({
  after: Schema.NullOr(Schema.Struct({ kind: ItemKind, name: Schema.String }))
})

/** `kind` where more than one has the name. */
const ShowItem = Schema.Struct({ kind: Schema.NullOr(ItemKind), name: Schema.String })

/** One event of the item. */
const Step = Schema.Struct({
  position: GlobalPosition,
  time: Schema.Int,
  type: Schema.String,
  /** What it was published as, where that has a version. */
  version: Schema.NullOr(Schema.String),
  /** Who said so: `builtin`, a manifest's path, `command`. */
  source: Schema.NullOr(Schema.String)
})

export const ShownItem = Schema.Struct({
  ...ListedItem.fields,
  /** As its last event holds it. */
  definition: Schema.Json,
  /** Oldest first. */
  history: Schema.Array(Step)
})
export type ShownItem = typeof ShownItem.Type

const DeprecateItem = Schema.Struct({ name: Schema.String })

/** `force`: also while others depend on it. */
const WithdrawItem = Schema.Struct({ kind: ItemKind, name: Schema.String, force: Schema.Boolean })

/** Of the catalog, by kind and name. */
export const ItemName = Schema.Struct({ kind: ItemKind, name: Schema.String })
export type ItemName = typeof ItemName.Type

const WithdrawnItem = Schema.Struct({
  /** `unchanged`: it was withdrawn already. */
  change: Schema.Literals(["withdrawn", "unchanged"]),
  /** What depended on it. */
  dependents: Schema.Array(ItemName)
})
type WithdrawnItem = typeof WithdrawnItem.Type

/** Others of the catalog depend on it. */
export class ItemInUse extends Schema.TaggedError<ItemInUse>()("ItemInUse", {
  ...ItemName.fields,
  dependents: Schema.Array(ItemName)
}) {
  override get message(): string {
    const users = this.dependents.map(({ kind, name }) => `the ${kind} ${name}`).join(", ")
    return `The ${this.kind} ${this.name} is used by ${users}: --force withdraws it all the same`
  }
}

/** It is there and cannot be deprecated. */
export class NotDeprecatable extends Schema.TaggedError<NotDeprecatable>()("NotDeprecatable", {
  ...ItemName.fields,
  reason: Schema.Literals(["kind", "withdrawn"])
}) {
  override get message(): string {
    return this.reason === "kind"
      ? `${this.name} is a ${this.kind}: only models and wrappers are deprecated`
      : `${this.name} is withdrawn`
  }
}

/** The name alone does not tell what is meant. */
export class AmbiguousName extends Schema.TaggedError<AmbiguousName>()("AmbiguousName", {
  name: Schema.String,
  kinds: Schema.Array(ItemKind)
}) {
  override get message(): string {
    return `${this.name} is a ${this.kinds.join(" and a ")}: say which with --kind`
  }
}

export const catalogOperations = RpcGroup.make(
  /** Durable, and shown by this node's catalog, when it returns. */
  Rpc.make("publishDefinitions", {
    payload: PublishDefinitions,
    success: Schema.Array(PublishedItem),
    error: Schema.Union([EndpointTaken, AdministrationFailed])
  }),
  /** By kind and name, withdrawn items included, as of now. */
  Rpc.make("listItems", {
    payload: ListItems,
    success: Schema.Array(ListedItem),
    error: AdministrationFailed
  }),
  /** The item in the catalog, or else the withdrawn one. */
  Rpc.make("showItem", {
    payload: ShowItem,
    success: ShownItem,
    error: Schema.Union([ItemNotFound, AmbiguousName, AdministrationFailed])
  }),
  /** Marks a model or a wrapper as not to be used any more. It still runs. */
  Rpc.make("deprecateItem", {
    payload: DeprecateItem,
    error: Schema.Union([ItemNotFound, NotDeprecatable, AdministrationFailed])
  }),
  /** Takes an item out of the catalog. Fails with `ItemInUse` while others depend on it, unless `force` is set. */
  Rpc.make("withdrawItem", {
    payload: WithdrawItem,
    success: WithdrawnItem,
    error: Schema.Union([ItemNotFound, ItemInUse, AdministrationFailed])
  })
)
