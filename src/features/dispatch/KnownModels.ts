/** The models with due requests that this node knows. */
import { Effect } from "effect"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"

/** A withdrawn model counts as last offered, because its accepted requests still run. Unknown models are left out. */
export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  /** The models left out at the last call. */
  let unknown: ReadonlySet<string> = new Set()

  return Effect.fnUntraced(function* (models: ReadonlyArray<ModelEndpoint>) {
    const known: Array<{ readonly endpoint: ModelEndpoint; readonly entry: CatalogEntry | null }> = []
    const others = new Set<string>()
    for (const endpoint of models) {
      const entry = yield* Effect.catchTag(catalog.lastOffered(endpoint), "NotKnownHere", () =>
        Effect.succeed(undefined)
      )
      if (entry !== undefined) known.push({ endpoint, entry })
      else others.add(endpoint)
    }
    const news = [...others].filter((endpoint) => !unknown.has(endpoint))
    unknown = others
    if (news.length > 0) {
      yield* Effect.logWarning("Requests wait for models that this node does not know").pipe(
        Effect.annotateLogs({ models: news.slice(0, 20).join(", ") })
      )
    }
    return known
  })
})
