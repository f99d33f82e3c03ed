/** What manifests may name without defining it: the current catalog. */
import { Effect } from "effect"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"

export interface KnownItems {
  /** A model or wrapper, which `runs` distinguishes; `null` without one. */
  readonly find: (endpoint: string) => Effect.Effect<CatalogEntry | null>
  readonly hasGpu: (id: string) => Effect.Effect<boolean>
}

/** The first ones take precedence. */
export const orElse = (first: KnownItems, second: KnownItems): KnownItems => ({
  find: (endpoint) =>
    Effect.flatMap(first.find(endpoint), (entry) =>
      entry === null ? second.find(endpoint) : Effect.succeed(entry)
    ),
  hasGpu: (id) => Effect.flatMap(first.hasGpu(id), (has) => (has ? Effect.succeed(true) : second.hasGpu(id)))
})
