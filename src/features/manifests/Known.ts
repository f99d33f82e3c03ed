/** What manifests may name though they do not define it: what the catalog has already. */
import { Effect } from "effect"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"

export interface KnownItems {
  /** Of a model or a wrapper, which is told by `runs`; `null` when there is none. */
  readonly find: (endpoint: string) => Effect.Effect<CatalogEntry | null>
  readonly hasGpu: (id: string) => Effect.Effect<boolean>
}

/** First these, then those. */
export const orElse = (first: KnownItems, second: KnownItems): KnownItems => ({
  find: (endpoint) =>
    Effect.flatMap(first.find(endpoint), (entry) =>
      entry === null ? second.find(endpoint) : Effect.succeed(entry)
    ),
  hasGpu: (id) => Effect.flatMap(first.hasGpu(id), (has) => (has ? Effect.succeed(true) : second.hasGpu(id)))
})
