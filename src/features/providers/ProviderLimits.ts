/** What the providers may have under way at once. */
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"

/** By name, of all that the models bind: the least that a binding says, `Infinity` where none does. */
export const of = (entries: ReadonlyArray<CatalogEntry>): ReadonlyMap<string, number> => {
  const limits = new Map<string, number>()
  for (const { model } of entries) {
    for (const { concurrency = Infinity, name } of model.providers) {
      limits.set(name, Math.min(concurrency, limits.get(name) ?? Infinity))
    }
  }
  return limits
}
