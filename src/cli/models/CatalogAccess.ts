/** Shared parts of the commands that read or change the catalog. */
import { Effect, Layer } from "effect"
import { Argument, Flag } from "effect/cli"
import { Administration } from "#src/edges/admin/Administration.ts"
import { type ListedItem, mostListed } from "#src/edges/admin/catalog/CatalogOperations.ts"
import { ItemKind } from "#src/features/catalog/Publishing.ts"
import * as ExistingLog from "#src/cli/ExistingLog.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"

export const layer = OperatorAccess.layer.pipe(Layer.provide(ExistingLog.layer))

export const name = Argument.String("name").pipe(
  Argument.withDescription(
    "A model or wrapper such as acme/flux, or the name of a collection, GPU or template"
  )
)

export const kind = Flag.Literals("kind", ItemKind.literals).pipe(
  Flag.withDescription("Kind of the item, when items of several kinds have the name"),
  Flag.optional
)

/** All items, from all pages. */
export const allItems = Effect.gen(function* () {
  const administration = yield* Administration
  const items: Array<ListedItem> = []
  while (true) {
    const last = items.at(-1)
    const after = last === undefined ? null : { kind: last.kind, name: last.name }
    const page: ReadonlyArray<ListedItem> = yield* administration.listItems({ after })
    items.push(...page)
    if (page.length < mostListed) return items
  }
})
