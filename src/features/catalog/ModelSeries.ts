/**
 * Which models have series of their own: those that are part of the program, so that what is counted begins at 0, and others
 * from their first request on. A catalog of thousands, most of them never used, is not to make the page long.
 */
import { Effect, Metric } from "effect"
import type { CatalogEntry } from "./models/Catalog.ts"
import * as BuiltinCatalog from "./models/BuiltinCatalog.ts"

/** What has series keeps them: a registry forgets none. */
const begun = new WeakMap<object, Set<string>>()

const parts = BuiltinCatalog.builtinModels.map(({ model }) => model.endpoint)

/** Those of this registry. */
export const make = Effect.map(Metric.MetricRegistry, (registry) => {
  const known = begun.get(registry)
  if (known !== undefined) return known
  const made = new Set<string>(parts)
  begun.set(registry, made)
  return made
})

/** With the model that runs for one that has them. */
export const has = (series: Set<string>, { model, runs }: CatalogEntry): boolean => {
  if (!series.has(model.endpoint)) return false
  series.add(runs)
  return true
}
