/** The items of the catalog that imported manifests may refer to. */
import { Effect, Result, Schema } from "effect"
import { Model } from "#domain/catalog/Model.ts"
import { Wrapper } from "#domain/catalog/Wrapper.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import type { ListedItem } from "#src/edges/admin/catalog/CatalogOperations.ts"
import type { KnownItems } from "#src/features/manifests/Known.ts"
import * as BuiltinItems from "#src/features/manifests/BuiltinItems.ts"
import * as Known from "#src/features/manifests/Known.ts"
import * as ManifestEntry from "#src/features/catalog/models/ManifestEntry.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"

const decodeModel = Schema.decodeUnknownResult(Model)
const decodeWrapper = Schema.decodeUnknownResult(Wrapper)

/** Built-in items are known without a query. A definition that this release cannot decode counts as absent. */
export const known = Effect.fnUntraced(function* (items: ReadonlyArray<ListedItem>) {
  const administration = yield* Administration
  const present = new Map(
    items.flatMap((item) => (item.status === "withdrawn" ? [] : [[`${item.kind} ${item.name}`, item]]))
  )

  const definitionOf = (kind: "model" | "wrapper", name: string) =>
    administration.showItem({ kind, name }).pipe(
      Effect.map(({ definition }) => definition),
      Effect.orElseSucceed(() => null)
    )

  const ofModel = (endpoint: string): Effect.Effect<CatalogEntry | null> =>
    Effect.map(definitionOf("model", endpoint), (definition) =>
      Result.getOrElse(
        Result.flatMap(decodeModel(definition), (model) => ManifestEntry.make({ model })),
        () => null
      )
    )

  const ofWrapper = Effect.fnUntraced(function* (endpoint: string) {
    const decoded = decodeWrapper(yield* definitionOf("wrapper", endpoint))
    if (Result.isFailure(decoded)) return null
    const wrapper = decoded.success
    const base = yield* ofModel(wrapper.base)
    if (base === null) return null
    return Result.getOrElse(ManifestEntry.makeWrapper({ wrapper, base }), () => null)
  })

  const published: KnownItems = {
    find: (endpoint) => {
      if (present.has(`model ${endpoint}`)) return ofModel(endpoint)
      return present.has(`wrapper ${endpoint}`) ? ofWrapper(endpoint) : Effect.succeed(null)
    },
    hasGpu: (id) => Effect.sync(() => present.has(`gpu ${id}`))
  }
  return Known.orElse(yield* BuiltinItems.known, published)
})
