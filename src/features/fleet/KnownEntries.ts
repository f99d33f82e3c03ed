/** The models that nodes run: those of the catalog, and withdrawn ones whose accepted requests still wait or run. */
import { Effect } from "effect"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import { Demand } from "#src/features/demand/Demand.ts"

interface KnownEntries {
  /** The current versions. */
  readonly offered: ReadonlyArray<CatalogEntry>
  /** As last offered, those with requests. Models that this node does not know are left out. */
  readonly withdrawn: ReadonlyArray<CatalogEntry>
}

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const demand = yield* Demand

  return Effect.gen(function* (): Effect.fn.Return<KnownEntries> {
    const offered = yield* catalog.all
    // Without the read model, only the catalog is known.
    const counts = yield* Effect.orElseSucceed(demand.all, () => new Map<string, never>())
    const current = new Set<string>(offered.map(({ model }) => model.endpoint))
    const busy = [...counts].flatMap(([endpoint, { queued, running }]) =>
      queued + running > 0 && !current.has(endpoint) ? [endpoint] : []
    )
    const found = yield* Effect.forEach(busy, (endpoint) =>
      Effect.orElseSucceed(catalog.lastOffered(endpoint), () => null)
    )
    return { offered, withdrawn: found.filter((entry) => entry !== null) }
  })
})
