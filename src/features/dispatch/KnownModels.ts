/** Models that have due requests, as far as this node can tell what they are. */
import { Effect } from "effect"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"

/**
 * Of a model that was withdrawn the last that was offered: what was accepted before runs on under its limits. Those that
 * this node cannot tell are left out: their rows are other nodes' to claim, or its own when it knows them.
 */
export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  /** Those that were left out when it was last asked for. */
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
      yield* Effect.logWarning("Requests wait for models that this node cannot tell").pipe(
        Effect.annotateLogs({ models: news.slice(0, 20).join(", ") })
      )
    }
    return known
  })
})
