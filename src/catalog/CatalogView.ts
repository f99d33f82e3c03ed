/** The catalog in memory, as of its last change. A value: readers keep what they have of it. */
import type { CatalogEntry } from "#src/models/Catalog.ts"
import type { Contents } from "./CatalogContents.ts"
import * as ContentsOf from "./ContentsOf.ts"
import * as Offer from "./Offer.ts"
import type * as StoredItems from "./StoredItems.ts"

export interface CatalogView {
  /** The number of the last change that is in it. */
  readonly change: number
  /** Withdrawn ones, too. */
  readonly items: ReadonlyMap<string, StoredItems.Item>
  readonly contents: Contents
  /** By endpoint: what can be submitted to. */
  readonly offers: ReadonlyMap<string, Offer.Offer>
  readonly entries: ReadonlyArray<CatalogEntry>
}

const of = (
  change: number,
  items: CatalogView["items"],
  offers: ReadonlyMap<string, Offer.Offer>,
  contents: Contents
): CatalogView => ({
  change,
  items,
  contents,
  offers,
  entries: [...offers.values()].map(({ entry }) => entry)
})

export const empty: CatalogView = of(0, new Map(), new Map(), ContentsOf.make([]))

export interface Change {
  /** Of the last one. */
  readonly number: number
  /** By key; `null` for what cannot be read. */
  readonly items: ReadonlyMap<string, StoredItems.Item | null>
}

/** What was compiled stays so. */
export const after = (before: CatalogView, change: Change): CatalogView => {
  const items = new Map(before.items)
  for (const [key, item] of change.items) {
    if (item === null) items.delete(key)
    else items.set(key, item)
  }
  const contents = ContentsOf.make(items.values())
  const offers = new Map<string, Offer.Offer>()
  const offer = (endpoint: string, version: string, make: () => Offer.Offer) => {
    const known = before.offers.get(endpoint)
    offers.set(endpoint, known?.entry.model.version === version ? known : make())
  }
  for (const { model } of contents.models) {
    offer(model.endpoint, model.version, () => Offer.ofModel(model))
  }
  for (const { base, wrapper } of contents.wrappers) {
    const running = offers.get(base.endpoint)
    if (running === undefined) continue
    offer(wrapper.endpoint, `${wrapper.version}.${base.version}`, () => Offer.ofWrapper(wrapper, running))
  }
  return of(change.number, items, offers, contents)
}
