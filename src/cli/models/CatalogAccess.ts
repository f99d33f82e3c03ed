/** What commands that look at the catalog of a log, or change it, share. */
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
    "A model or wrapper such as acme/flux, or what a collection, GPU or template is named by"
  )
)

export const kind = Flag.Literals("kind", ItemKind.literals).pipe(
  Flag.withDescription("What it is, where several have the name"),
  Flag.optional
)

/** All of them, however many pages. */
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
