/** The catalog in memory as an immutable value, replaced at each change. */
import type { Model } from "#domain/catalog/Model.ts"
import type { Wrapper } from "#domain/catalog/Wrapper.ts"
import type { CatalogEntry } from "./models/Catalog.ts"
import type { Contents, Listed, ListedModel, ListedWrapper } from "./CatalogContents.ts"
import * as Offer from "./Offer.ts"
import * as StoredItems from "./StoredItems.ts"
import * as crypto from "node:crypto"
import { Order } from "effect"
import type { Item } from "./StoredItems.ts"

/** What is shown of the items that the catalog has. */
const newestFirst = Order.combine(
  Order.flip(Order.mapInput(Order.Number, ({ updatedAt }: Item) => updatedAt)),
  Order.mapInput(Order.String, ({ name }: Item) => name)
)

/** 132 bits of the hash of the contents, equal on all nodes. */
const revisionOf = (items: ReadonlyArray<Item>): string =>
  crypto.hash("sha256", items.map(({ mark }) => mark).join("\n"), "base64url").slice(0, 22)

const contentsOf = (stored: Iterable<Item>): Contents => {
  const items = [...stored].filter(({ status }) => status !== "withdrawn").sort(newestFirst)
  const models = new Map<string, ListedModel>()
  for (const item of items) {
    if (item.kind !== "model") continue
    const { model } = item
    models.set(model.endpoint, { kind: "model", status: statusOf(item), model, ...timesOf(item) })
  }
  const wrappers: Array<ListedWrapper> = []
  for (const item of items) {
    if (item.kind !== "wrapper") continue
    const { wrapper } = item
    const base = models.get(wrapper.base)?.model
    if (base === undefined) continue
    wrappers.push({ kind: "wrapper", status: statusOf(item), wrapper, base, ...timesOf(item) })
  }
  return {
    revision: revisionOf(items),
    models: [...models.values()],
    wrappers,
    collections: items.flatMap((item) =>
      item.kind === "collection" ? [{ collection: item.collection, ...timesOf(item) }] : []
    ),
    gpus: items.flatMap((item) => (item.kind === "gpu" ? [{ gpu: item.gpu, ...timesOf(item) }] : [])),
    templates: items.flatMap((item) =>
      item.kind === "deployment-template" ? [{ template: item.template, ...timesOf(item) }] : []
    ),
    byEndpoint: new Map<string, Listed>([
      ...models,
      ...wrappers.map((listed) => [listed.wrapper.endpoint, listed] as const)
    ])
  }
}

const timesOf = ({ createdAt, updatedAt }: Item) => ({ createdAt, updatedAt })

const statusOf = ({ status }: Item): Listed["status"] => (status === "deprecated" ? "deprecated" : "active")

export interface CatalogView {
  /** The number of the last change in it. */
  readonly change: number
  /** Includes withdrawn ones. */
  readonly items: ReadonlyMap<string, StoredItems.Item>
  /** Keys of items that this release cannot read. */
  readonly unreadable: ReadonlySet<string>
  readonly contents: Contents
  /** By endpoint: what accepts requests. */
  readonly offers: ReadonlyMap<string, Offer.Offer>
  /** By endpoint: withdrawn items, in their last version. */
  readonly withdrawn: ReadonlyMap<string, Offer.Offer>
  readonly entries: ReadonlyArray<CatalogEntry>
}

const of = (view: Omit<CatalogView, "entries">): CatalogView => ({
  ...view,
  entries: [...view.offers.values()].map(({ entry }) => entry)
})

export const empty: CatalogView = of({
  change: 0,
  items: new Map(),
  unreadable: new Set(),
  contents: contentsOf([]),
  offers: new Map(),
  withdrawn: new Map()
})

/** Whether this release can read everything that the endpoint needs. */
export const isReadable = ({ items, unreadable }: CatalogView, endpoint: string): boolean => {
  const key = StoredItems.keyOfEndpoint(endpoint)
  const item = items.get(key)
  return (
    !unreadable.has(key) &&
    !(item?.kind === "wrapper" && unreadable.has(StoredItems.keyOfEndpoint(item.wrapper.base)))
  )
}

export interface Change {
  /** Of the last change. */
  readonly number: number
  /** By key; `null` for an unreadable item. */
  readonly items: ReadonlyMap<string, StoredItems.Item | null>
}

/** Compiled entries are reused. */
export const after = (before: CatalogView, change: Change): CatalogView => {
  const items = new Map(before.items)
  const unreadable = new Set(before.unreadable)
  for (const [key, item] of change.items) {
    if (item === null) {
      items.delete(key)
      unreadable.add(key)
    } else {
      items.set(key, item)
      unreadable.delete(key)
    }
  }
  const contents = contentsOf(items.values())
  const offers = new Map<string, Offer.Offer>()
  const withdrawn = new Map<string, Offer.Offer>()
  const offer = (to: typeof offers, endpoint: string, version: string, make: () => Offer.Offer) => {
    const known = before.offers.get(endpoint) ?? before.withdrawn.get(endpoint)
    to.set(endpoint, known?.entry.model.version === version ? known : make())
  }
  const offerModel = (to: typeof offers, model: Model) =>
    offer(to, model.endpoint, model.version, () => Offer.ofModel(model))
  const offerWrapper = (to: typeof offers, wrapper: Wrapper, base: Offer.Offer) =>
    offer(to, wrapper.endpoint, `${wrapper.version}.${base.entry.model.version}`, () =>
      Offer.ofWrapper(wrapper, base)
    )
  for (const { model } of contents.models) offerModel(offers, model)
  for (const item of items.values()) {
    if (item.kind === "model" && !offers.has(item.model.endpoint)) offerModel(withdrawn, item.model)
  }
  for (const { base, wrapper } of contents.wrappers) {
    const running = offers.get(base.endpoint)
    if (running !== undefined) offerWrapper(offers, wrapper, running)
  }
  for (const item of items.values()) {
    if (item.kind !== "wrapper" || offers.has(item.wrapper.endpoint)) continue
    const { base } = item.wrapper
    const running = offers.get(base) ?? withdrawn.get(base)
    if (running !== undefined) offerWrapper(withdrawn, item.wrapper, running)
  }
  return of({ change: change.number, items, unreadable, contents, offers, withdrawn })
}
