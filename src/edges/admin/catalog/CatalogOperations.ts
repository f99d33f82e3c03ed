/** The catalog: part of `Administration`. Times are Unix time in ms. */
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Collection } from "#domain/catalog/Collection.ts"
import { DeploymentTemplate } from "#domain/catalog/DeploymentTemplate.ts"
import { Gpu } from "#domain/catalog/Gpu.ts"
import { Model } from "#domain/catalog/Model.ts"
import { Wrapper } from "#domain/catalog/Wrapper.ts"
import { EndpointTaken, ItemKind, ItemNotFound, PublishedItem } from "#src/features/catalog/Publishing.ts"
import { GlobalPosition } from "#streams/GlobalPosition.ts"
import { AdministrationFailed } from "../Operations.ts"

/** Items per page. */
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

export const ListedItem = Schema.Struct({
  kind: ItemKind,
  /** Endpoint, slug or id. */
  name: Schema.String,
  displayName: Schema.String,
  status: Schema.Literals(["active", "deprecated", "withdrawn"]),
  /** `null` except for models and wrappers. */
  version: Schema.NullOr(Schema.String),
  /** A hash of the whole definition (`models/Version`). */
  fingerprint: Schema.String,
  createdAt: Schema.Int,
  updatedAt: Schema.Int
})
export type ListedItem = typeof ListedItem.Type

/** One event of the item. */
const Step = Schema.Struct({
  position: GlobalPosition,
  time: Schema.Int,
  type: Schema.String,
  /** The published version, of models and wrappers. */
  version: Schema.NullOr(Schema.String),
  /** The origin of the change: `builtin`, the path of a manifest, or `command`. */
  source: Schema.NullOr(Schema.String)
})

export const ShownItem = Schema.Struct({
  ...ListedItem.fields,
  /** The definition in the last event. */
  definition: Schema.Json,
  /** Oldest first. */
  history: Schema.Array(Step)
})
export type ShownItem = typeof ShownItem.Type

/** Identifies an item of the catalog. */
export const ItemName = Schema.Struct({ kind: ItemKind, name: Schema.String })
export type ItemName = typeof ItemName.Type

/** Other items of the catalog depend on the item. */
export class ItemInUse extends Schema.TaggedError<ItemInUse>()("ItemInUse", {
  ...ItemName.fields,
  dependents: Schema.Array(ItemName)
}) {
  override get message(): string {
    const users = this.dependents.map(({ kind, name }) => `the ${kind} ${name}`).join(", ")
    return `The ${this.kind} ${this.name} is used by ${users}: add --force to withdraw it anyway`
  }
}

/** The item exists, but cannot be deprecated. */
export class NotDeprecatable extends Schema.TaggedError<NotDeprecatable>()("NotDeprecatable", {
  ...ItemName.fields,
  reason: Schema.Literals(["kind", "withdrawn"])
}) {
  override get message(): string {
    return this.reason === "kind"
      ? `${this.name} is a ${this.kind}: only models and wrappers can be deprecated`
      : `${this.name} is withdrawn`
  }
}

/** Items of several kinds have the name. */
export class AmbiguousName extends Schema.TaggedError<AmbiguousName>()("AmbiguousName", {
  name: Schema.String,
  kinds: Schema.Array(ItemKind)
}) {
  override get message(): string {
    return `${this.name} is a ${this.kinds.join(" and a ")}: choose one with --kind`
  }
}

export const catalogOperations = RpcGroup.make(
  /** When it returns, the definitions are durable, and this node's catalog shows them. */
  Rpc.make("publishDefinitions", {
    payload: PublishDefinitions,
    success: Schema.Array(PublishedItem),
    error: Schema.Union([EndpointTaken, AdministrationFailed])
  }),
  /** A page in the order of kind and name, withdrawn items included, as of the log's head at the time of the call. */
  Rpc.make("listItems", {
    /** `after`: the last item of the previous page; `null` for the first page. */
    payload: { after: Schema.NullOr(ItemName) },
    success: Schema.Array(ListedItem),
    error: AdministrationFailed
  }),
  /** Prefers an item that is not withdrawn to a withdrawn one of the same name. */
  Rpc.make("showItem", {
    /** `kind`: needed when items of several kinds have the name. */
    payload: { kind: Schema.NullOr(ItemKind), name: Schema.String },
    success: ShownItem,
    error: Schema.Union([ItemNotFound, AmbiguousName, AdministrationFailed])
  }),
  /** Models and wrappers only. A deprecated one still runs, and is marked as no longer recommended. */
  Rpc.make("deprecateItem", {
    payload: { name: Schema.String },
    error: Schema.Union([ItemNotFound, NotDeprecatable, AdministrationFailed])
  }),
  /** Hides the item, and refuses new requests to it. Refuses an item that others depend on, unless `force`. */
  Rpc.make("withdrawItem", {
    payload: { ...ItemName.fields, force: Schema.Boolean },
    /** `unchanged`: the item was already withdrawn. `dependents`: the items that depended on it. */
    success: Schema.Struct({
      change: Schema.Literals(["withdrawn", "unchanged"]),
      dependents: Schema.Array(ItemName)
    }),
    error: Schema.Union([ItemNotFound, ItemInUse, AdministrationFailed])
  })
)
