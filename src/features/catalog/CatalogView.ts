/** The catalog in memory, as of its last change. A value: readers keep what they have of it. */
import type { Model } from "#domain/catalog/Model.ts"
import type { Wrapper } from "#domain/catalog/Wrapper.ts"
import type { CatalogEntry } from "./models/Catalog.ts"
import type { Contents } from "./CatalogContents.ts"
import * as ContentsOf from "./ContentsOf.ts"
import * as Offer from "./Offer.ts"
import * as StoredItems from "./StoredItems.ts"

export interface CatalogView {
  /** The number of the last change that is in it. */
  readonly change: number
  /** Withdrawn ones, too. */
  readonly items: ReadonlyMap<string, StoredItems.Item>
  /** Keys of what this release cannot read. */
  readonly unreadable: ReadonlySet<string>
  readonly contents: Contents
  /** By endpoint: what can be submitted to. */
  readonly offers: ReadonlyMap<string, Offer.Offer>
  /** By endpoint: what was, as it was last. */
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
  contents: ContentsOf.make([]),
  offers: new Map(),
  withdrawn: new Map()
})

/** Whether this release can read all that the endpoint runs on. */
export const isReadable = ({ items, unreadable }: CatalogView, endpoint: string): boolean => {
  const key = StoredItems.keyOfEndpoint(endpoint)
  const item = items.get(key)
  return (
    !unreadable.has(key) &&
    !(item?.kind === "wrapper" && unreadable.has(StoredItems.keyOfEndpoint(item.wrapper.base)))
  )
}

export interface Change {
  /** Of the last one. */
  readonly number: number
  /** By key; `null` for what cannot be read. */
  readonly items: ReadonlyMap<string, StoredItems.Item | null>
}

/** What was compiled stays so. */
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
  const contents = ContentsOf.make(items.values())
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
