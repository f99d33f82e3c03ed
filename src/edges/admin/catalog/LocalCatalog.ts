/** `catalogOperations` on the log. */
import { Effect, Order, Predicate, Struct } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as Listing from "#domain/catalog/Listing.ts"
import * as Offering from "#domain/catalog/Offering.ts"
import { type CatalogRow, CatalogRows } from "#projections/catalog/CatalogRows.ts"
import { Projections } from "#projections/Projections.ts"
import { type ItemKind, ItemNotFound, Publishing } from "#src/features/catalog/Publishing.ts"
import * as Version from "#src/features/catalog/models/Version.ts"
import { EventReader } from "#streams/EventReader.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Pages from "../Pages.ts"
import { mostListed } from "../Wire.ts"
import type { LocalOperations } from "../Operations.ts"
import {
  AmbiguousName,
  type catalogOperations,
  ItemInUse,
  type ItemName,
  type ListedItem,
  NotDeprecatable
} from "./CatalogOperations.ts"

/** The `source` of the events that these operations append. */
const source = "command"

/** Definitions come from events, so this release may not know their form. */
const member = (definition: unknown, name: string): unknown =>
  Predicate.hasProperty(definition, name) ? definition[name] : undefined

const textIn = (definition: unknown, name: string): string | null => {
  const text = member(definition, name)
  return typeof text === "string" ? text : null
}

const listed = ({ definition, ...row }: CatalogRow): ListedItem => ({
  ...Struct.pick(row, ["kind", "name", "status", "version", "createdAt", "updatedAt"]),
  displayName: textIn(definition, "displayName") ?? textIn(definition, "name") ?? row.name,
  fingerprint: Version.fingerprint(definition)
})

type PageKey = Pick<CatalogRow, "kind" | "name">

const order: Order.Order<PageKey> = Order.Struct({ kind: Order.String, name: Order.String })

const categories: Readonly<Record<ItemKind, string>> = {
  model: Offering.aggregate.category,
  wrapper: Offering.aggregate.category,
  collection: Listing.collections.category,
  gpu: Listing.gpus.category,
  "deployment-template": Listing.deploymentTemplates.category
}

const stepOf = ({ data, position, time, type }: RecordedEvent) => {
  const definition: Json | undefined = data["model"] ?? data["wrapper"]
  return { position, time, type, version: textIn(definition, "version"), source: textIn(data, "source") }
}

const lists = (definition: unknown, name: string, wanted: ReadonlySet<string>): boolean => {
  const names = member(definition, name)
  return Array.isArray(names) && names.some((one) => wanted.has(one))
}

/**
 * For a model: its wrappers, which cannot run without it, and the collections that list it or them. For a wrapper: its
 * collections. For a GPU: its deployment templates. Withdrawn items are not dependents.
 */
const dependentsOf = (rows: ReadonlyArray<CatalogRow>, { kind, name }: ItemName): ReadonlyArray<ItemName> => {
  const present = rows.filter(({ status }) => status !== "withdrawn")
  const ofKind = (wanted: ItemName["kind"]) => present.filter((row) => row.kind === wanted)
  if (kind === "gpu") {
    const gpu = new Set([name])
    return ofKind("deployment-template")
      .filter(({ definition }) => lists(definition, "gpuIds", gpu))
      .map(({ kind, name }) => ({ kind, name }))
  }
  if (kind !== "model" && kind !== "wrapper") return []
  const wrappers = ofKind("wrapper").filter(({ definition }) => member(definition, "base") === name)
  const gone = new Set([name, ...wrappers.map((wrapper) => wrapper.name)])
  const collections = ofKind("collection").filter(({ definition }) => lists(definition, "models", gone))
  return [...wrappers, ...collections].map(({ kind, name }) => ({ kind, name }))
}

export const make = Effect.gen(function* () {
  const publishing = yield* Publishing
  const rows = yield* CatalogRows
  const projections = yield* Projections
  const reader = yield* EventReader

  const allRows = Effect.gen(function* () {
    yield* projections.waitFor(yield* reader.head, { projection: "catalog" })
    return yield* rows.changedAfter(0)
  })

  const operations: LocalOperations<typeof catalogOperations> = {
    publishDefinitions: ({ reactivates, source, ...definitions }) =>
      Effect.map(publishing.publish(definitions, { reactivates, source }), (items) => ({ items })),
    listItems: Effect.fnUntraced(function* ({ after, limit = mostListed }) {
      const sorted = (yield* allRows).toSorted(order)
      const following = after === null ? sorted : sorted.filter((row) => order(row, after) > 0)
      return Pages.of(following.slice(0, limit + 1).map(listed), limit, ({ kind, name }) => ({ kind, name }))
    }),
    showItem: Effect.fnUntraced(function* ({ kind, name }) {
      const named = (yield* allRows).filter((row) => row.name === name && (kind ?? row.kind) === row.kind)
      const present = named.filter(({ status }) => status !== "withdrawn")
      const [row, ...others] = present.length > 0 ? present : named
      if (row === undefined) return yield* new ItemNotFound({ name })
      if (others.length > 0) {
        return yield* new AmbiguousName({ name, kinds: [row, ...others].map((one) => one.kind) })
      }
      const events = yield* reader.read(StreamName.make(categories[row.kind], name))
      return { ...listed(row), definition: row.definition, history: events.map(stepOf) }
    }),
    deprecateItem: Effect.fnUntraced(function* ({ name }) {
      const row = (yield* allRows).find((row) => row.name === name)
      if (row !== undefined) {
        const { kind, status } = row
        if (kind !== "model" && kind !== "wrapper") {
          return yield* new NotDeprecatable({ kind, name, reason: "kind" })
        }
        if (status === "withdrawn") return yield* new NotDeprecatable({ kind, name, reason: "withdrawn" })
      }
      yield* publishing.deprecate(name, source)
    }),
    withdrawItem: Effect.fnUntraced(function* ({ force, kind, name }) {
      const rows = yield* allRows
      if (rows.some((row) => row.kind === kind && row.name === name && row.status === "withdrawn")) {
        return { change: "unchanged" as const, dependents: [] }
      }
      const dependents = dependentsOf(rows, { kind, name }).toSorted(order)
      if (dependents.length > 0 && !force) return yield* new ItemInUse({ kind, name, dependents })
      yield* publishing.withdraw(kind, name, source)
      return { change: "withdrawn" as const, dependents }
    })
  }
  return operations
})
