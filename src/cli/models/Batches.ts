/** Splits definitions into batches that fit the size limit of a message to the server. */
import { Schema } from "effect"
import { PublishDefinitions } from "#src/edges/admin/catalog/CatalogOperations.ts"
import { definitionsOf, type Item } from "#src/features/manifests/Items.ts"
import * as Version from "#src/features/catalog/models/Version.ts"

/** Bytes of JSON; a definition has at most 256 KiB. */
const largestBatch = 512 * 1_024

const encode = Schema.encodeSync(PublishDefinitions)

const encoded = (item: Item) => encode({ ...definitionsOf([item]), source: "", reactivates: false })

/** The fingerprint of the definition in its event. */
export const fingerprintOf = (item: Item): string => {
  const { collections, gpus, models, templates, wrappers } = encoded(item)
  const [definition = null] = [...models, ...wrappers, ...collections, ...gpus, ...templates]
  return Version.fingerprint(definition)
}

export const batches = (items: ReadonlyArray<Item>): ReadonlyArray<ReadonlyArray<Item>> => {
  const made: Array<Array<Item>> = []
  let room = 0
  for (const item of items) {
    const bytes = Buffer.byteLength(JSON.stringify(encoded(item)))
    const batch = made.at(-1)
    if (batch === undefined || bytes > room) {
      made.push([item])
      room = largestBatch - bytes
    } else {
      batch.push(item)
      room -= bytes
    }
  }
  return made
}
