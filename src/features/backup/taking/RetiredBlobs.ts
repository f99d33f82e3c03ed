/**
 * Removes blobs that only generations named that are no longer kept. The manifest names their inventories until it is done, so
 * an interrupted removal continues with the next backup.
 */
import { Effect } from "effect"
import type { BlobStore } from "#streams/BlobStore.ts"
import * as Inventories from "../format/Inventories.ts"
import type { Inventory, Manifest } from "../format/Manifest.ts"
import * as Pieces from "../format/Pieces.ts"

type Store = BlobStore["Service"]

/** Blobs are removed a few at a time, because S3 answers with a delay. */
const concurrency = 8

const entriesOf = Effect.fnUntraced(function* (pieces: Store, inventory: Inventory) {
  return yield* Inventories.parse(inventory, yield* Pieces.readText(pieces, inventory))
})

/** Inventories whose blobs may be removed when the manifest is `now`. */
export const of = (before: Manifest | null, now: Pick<Manifest, "generations">): ReadonlyArray<Inventory> => {
  const kept = new Set(now.generations.flatMap(({ inventories }) => inventories.map(({ key }) => key)))
  const dropped = (before?.generations ?? [])
    .filter(({ startedAt }) => now.generations.every((generation) => generation.startedAt !== startedAt))
    .flatMap(({ inventories }) => inventories)
  return [...(before?.retired ?? []), ...dropped].filter(({ key }) => !kept.has(key))
}

/** Returns their number. The manifest must be written. */
export const remove = Effect.fn("RetiredBlobs.remove")(function* (pieces: Store, manifest: Manifest) {
  const named = new Set<string>()
  for (const inventory of manifest.generations.flatMap(({ inventories }) => inventories)) {
    for (const { object } of yield* entriesOf(pieces, inventory)) named.add(object)
  }
  let count = 0
  for (const inventory of manifest.retired ?? []) {
    const entries = yield* entriesOf(pieces, inventory)
    const unnamed = entries.filter(({ object }) => !named.has(object))
    yield* Effect.forEach(unnamed, ({ object }) => pieces.remove(object), { concurrency, discard: true })
    count += unnamed.length
  }
  return count
})
