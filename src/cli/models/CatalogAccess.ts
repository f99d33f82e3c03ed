/** Shared parts of the commands that read or change the catalog. */
import { Effect } from "effect"
import { Argument, Flag } from "effect/cli"
import { Administration } from "#src/edges/admin/Administration.ts"
import type { ItemName } from "#src/edges/admin/catalog/CatalogOperations.ts"
import * as Pages from "#src/edges/admin/Pages.ts"
import { ItemKind } from "#src/features/catalog/Publishing.ts"

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
export const allItems = Effect.flatMap(Administration, ({ listItems }) =>
  Pages.collect((after: ItemName | null) => listItems({ after }))
)
