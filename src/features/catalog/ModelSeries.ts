/** Models with metric series: built-in ones from the start, others from their first request, to limit the page. */
import { Effect, Metric } from "effect"
import type { CatalogEntry } from "./models/Catalog.ts"
import * as BuiltinCatalog from "./models/BuiltinCatalog.ts"

/** Series are never removed from a registry. */
const begun = new WeakMap<object, Set<string>>()

const parts = BuiltinCatalog.builtinModels.map(({ model }) => model.endpoint)

/** The series of this registry. */
export const make = Effect.map(Metric.MetricRegistry, (registry) => {
  const known = begun.get(registry)
  if (known !== undefined) return known
  const made = new Set<string>(parts)
  begun.set(registry, made)
  return made
})

/** Together with the model that runs, if that has series. */
export const has = (series: Set<string>, { model, runs }: CatalogEntry): boolean => {
  if (!series.has(model.endpoint)) return false
  series.add(runs)
  return true
}
