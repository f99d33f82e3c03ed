/** What is shown of the items that the catalog has. */
import * as crypto from "node:crypto"
import { Order } from "effect"
import type { Contents, Listed, ListedModel, ListedWrapper } from "./CatalogContents.ts"
import type { Item } from "./StoredItems.ts"

const newestFirst = Order.combine(
  Order.flip(Order.mapInput(Order.Number, ({ updatedAt }: Item) => updatedAt)),
  Order.mapInput(Order.String, ({ name }: Item) => name)
)

/** 132 bits of the hash of what is shown, so that all nodes have the same. */
const revisionOf = (items: ReadonlyArray<Item>): string =>
  crypto.hash("sha256", items.map(({ mark }) => mark).join("\n"), "base64url").slice(0, 22)

export const make = (stored: Iterable<Item>): Contents => {
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
