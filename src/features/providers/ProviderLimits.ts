/** The most runs that providers may have at the same time. */
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"

/** By name: the lowest limit of all bindings to the provider, `Infinity` without one. */
export const of = (entries: ReadonlyArray<CatalogEntry>): ReadonlyMap<string, number> => {
  const limits = new Map<string, number>()
  for (const { model } of entries) {
    for (const { concurrency = Infinity, name } of model.providers) {
      limits.set(name, Math.min(concurrency, limits.get(name) ?? Infinity))
    }
  }
  return limits
}
