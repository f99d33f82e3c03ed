/** Versions of models: each model has one, its current definition. */
import { Effect } from "effect"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import { memoize } from "#src/kernel/async/Memoize.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { issue } from "#src/edges/http/requests/Parsed.ts"

/** Once for each state of the catalog. */
const byVersion = memoize(
  (all: ReadonlyArray<CatalogEntry>): ReadonlyMap<string, string> =>
    new Map(all.map(({ model }) => [model.version, model.endpoint]))
)

const unknownVersion = ErrorAnswer.invalid([
  issue(["version"], "version", "must be the current version of a model that the key may run")
])

const form = /^([^/:]+\/[^/:]+)(?::(.+))?$/

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog

  /** The model that has this version now. */
  const endpointOf = Effect.fnUntraced(function* (version: string) {
    const endpoint = byVersion(yield* catalog.all).get(version)
    return endpoint ?? (yield* unknownVersion)
  })

  /** @param version may be omitted: the current one. */
  const ofModel = Effect.fnUntraced(function* (endpoint: string, version: string | null) {
    if (version === null) return endpoint
    return (yield* endpointOf(version)) === endpoint ? endpoint : yield* unknownVersion
  })

  /** @param text `<version>`, `<owner>/<name>` or `<owner>/<name>:<version>`. */
  const named = Effect.fnUntraced(function* (text: string) {
    const [, endpoint, version = null] = form.exec(text) ?? []
    return endpoint === undefined ? yield* endpointOf(text) : yield* ofModel(endpoint, version)
  })

  return { ofModel, named }
})
