/** The catalog: part of `Administration`. Times are Unix time in ms. */
import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import { isList } from "#domain/CanonicalJson.ts"
import { Collection } from "#domain/catalog/Collection.ts"
import { DeploymentTemplate } from "#domain/catalog/DeploymentTemplate.ts"
import { Gpu } from "#domain/catalog/Gpu.ts"
import * as MemberOrder from "#domain/catalog/MemberOrder.ts"
import { Model } from "#domain/catalog/Model.ts"
import { Wrapper } from "#domain/catalog/Wrapper.ts"
import * as JsonText from "#domain/JsonText.ts"
import { EndpointTaken, ItemKind, ItemNotFound, PublishedItem } from "#src/features/catalog/Publishing.ts"
import { GlobalPosition } from "#streams/GlobalPosition.ts"
import * as Operation from "../Operation.ts"
import * as Wire from "../Wire.ts"

export const PublishDefinitions = Schema.Struct({
  models: Schema.Array(Model),
  wrappers: Schema.Array(Wrapper),
  collections: Schema.Array(Collection),
  gpus: Schema.Array(Gpu),
  templates: Schema.Array(DeploymentTemplate),
  source: Wire.orElse(Schema.String.check(Schema.isMaxLength(200)), "command"),
  reactivates: Wire.orElse(Schema.Boolean, true)
})

const withAuthorsJson = ["models", "wrappers", "templates"] as const

/** The schemas, examples and templates of definitions as their authors wrote them. */
export const rememberingDefinitions: Operation.Remembering = (copy, source) => {
  const lists = withAuthorsJson.flatMap((kind) => {
    const sources = JsonText.member(source, kind)
    const copies: unknown = Reflect.get(copy, kind)
    if (!isList(sources) || !Array.isArray(copies)) return []
    const items = JsonText.items(sources)
    return [[kind, copies.map((one: object, index) => MemberOrder.remembering(one, items[index] ?? null))]]
  })
  return { ...copy, ...Object.fromEntries(lists) }
}

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
  createdAt: Wire.Time,
  updatedAt: Wire.Time
})
export type ListedItem = typeof ListedItem.Type

/** One event of the item. */
const Step = Schema.Struct({
  position: GlobalPosition,
  time: Wire.Time,
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

const isKind = Schema.is(ItemKind)

/** An item's name as `<kind>:<name>`, where pages end. */
const ItemCursor = Schema.String.pipe(
  Schema.decodeTo(Schema.toType(ItemName), {
    decode: SchemaGetter.transformEffect((text: string) => {
      const [kind = "", ...name] = text.split(":")
      return isKind(kind)
        ? Effect.succeed({ kind, name: name.join(":") })
        : Effect.fail(new SchemaIssue.InvalidValue(undefined, { message: "must be the next of a page" }))
    }),
    encode: SchemaGetter.transform(({ kind, name }: ItemName) => `${kind}:${name}`)
  })
)

/** Items that an action names. */
const mostNamed = 20

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

const named = (what: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.map((name) => `${what} ${name}`)

export const catalogOperations = [
  Operation.make("publishDefinitions", {
    route: "POST /catalog",
    role: "operator",
    summary: "Publish definitions",
    description:
      "When it returns, the definitions are durable, and this node's catalog shows them. `reactivates` brings back deprecated and withdrawn items.",
    payload: PublishDefinitions.fields,
    success: Schema.Struct({ items: Schema.Array(PublishedItem) }),
    errors: [EndpointTaken],
    rememberingPayload: rememberingDefinitions,
    targets: [],
    targetsOf: ({ collections, gpus, models, templates, wrappers }) => {
      const names = [
        ...named(
          "model",
          models.map(({ endpoint }) => endpoint)
        ),
        ...named(
          "wrapper",
          wrappers.map(({ endpoint }) => endpoint)
        ),
        ...named(
          "collection",
          collections.map(({ slug }) => slug)
        ),
        ...named(
          "gpu",
          gpus.map(({ id }) => id)
        ),
        ...named(
          "deployment-template",
          templates.map(({ id }) => id)
        )
      ]
      const shown = names.slice(0, mostNamed).join(", ")
      return { items: names.length > mostNamed ? `${shown}, … (${names.length})` : shown }
    }
  }),
  Operation.make("listItems", {
    route: "GET /catalog",
    role: "viewer",
    summary: "List the catalog",
    description: "By kind and name, withdrawn items included, as of the log at the time of the call.",
    payload: Wire.paging(ItemCursor),
    success: Wire.page(ListedItem, ItemCursor)
  }),
  Operation.make("showItem", {
    route: "GET /catalog/item",
    role: "viewer",
    summary: "An item of the catalog",
    description:
      "With its definition and history. `kind` is needed when items of several kinds have the name. Prefers an item that is not withdrawn.",
    payload: { kind: Wire.orNull(ItemKind), name: Schema.String },
    success: ShownItem,
    rememberingResult: (copy, source) => ({ ...copy, definition: JsonText.member(source, "definition") }),
    errors: [ItemNotFound, AmbiguousName]
  }),
  Operation.make("deprecateItem", {
    route: "POST /catalog/deprecate",
    role: "operator",
    summary: "Deprecate a model or wrapper",
    description: "A deprecated one still runs, and is marked as no longer recommended.",
    payload: { name: Schema.String },
    errors: [ItemNotFound, NotDeprecatable]
  }),
  Operation.make("withdrawItem", {
    route: "POST /catalog/withdraw",
    role: "operator",
    summary: "Withdraw an item of the catalog",
    description:
      "Hides it and refuses new requests to it. An item on which others depend is refused unless `force`. `unchanged`: it was already withdrawn.",
    payload: { ...ItemName.fields, force: Wire.orElse(Schema.Boolean, false) },
    success: Schema.Struct({
      change: Schema.Literals(["withdrawn", "unchanged"]),
      dependents: Schema.Array(ItemName)
    }),
    errors: [ItemNotFound, ItemInUse]
  })
] as const
