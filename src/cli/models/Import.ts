import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Administration } from "#src/edges/admin/Administration.ts"
import type { ListedItem } from "#src/edges/admin/catalog/CatalogOperations.ts"
import type { PublishedItem } from "#src/features/catalog/Publishing.ts"
import { definitionsOf, isDeprecated, type Item } from "#src/features/manifests/Items.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Manifests from "./Manifests.ts"
import * as Output from "#src/cli/Output.ts"
import * as Batches from "./Batches.ts"
import { allItems } from "./CatalogAccess.ts"
import * as Catalogued from "./Catalogued.ts"
import { CommandError } from "#src/cli/Failure.ts"

interface Imported extends PublishedItem {
  readonly file: string
  readonly deprecated: boolean
}

const key = ({ kind, name }: Pick<ListedItem, "kind" | "name">): string => `${kind} ${name}`

const versionOf = (item: Item): string | null =>
  item.kind === "model" ? item.model.version : item.kind === "wrapper" ? item.wrapper.version : null

const planned = (item: Item, before: ListedItem | undefined): PublishedItem["change"] => {
  if (before === undefined) return "created"
  if (before.fingerprint !== Batches.fingerprintOf(item)) return "updated"
  const isOffered = before.status === "active" || isDeprecated(item)
  return isOffered ? "unchanged" : "reactivated"
}

const plan = (items: ReadonlyArray<Item>, listed: ReadonlyArray<ListedItem>): ReadonlyArray<Imported> => {
  const before = new Map(listed.map((item) => [key(item), item]))
  return items.map((item) => ({
    kind: item.kind,
    name: item.name,
    change: planned(item, before.get(key(item))),
    version: versionOf(item),
    file: item.file,
    deprecated: isDeprecated(item)
  }))
}

/** A manifest that is marked as deprecated does not reactivate its item. */
const publish = Effect.fnUntraced(function* (items: ReadonlyArray<Item>, reactivates: boolean) {
  const administration = yield* Administration
  const published: Array<PublishedItem> = []
  for (const batch of Batches.batches(items)) {
    const definitions = definitionsOf(batch)
    published.push(
      ...(yield* administration.publishDefinitions({ ...definitions, source: "command", reactivates }))
    )
  }
  return published
})

const publishAll = Effect.fnUntraced(function* (items: ReadonlyArray<Item>) {
  const administration = yield* Administration
  const deprecated = items.filter(isDeprecated)
  const offered = items.filter((item) => !isDeprecated(item))
  const published = [...(yield* publish(deprecated, false)), ...(yield* publish(offered, true))]
  for (const { name } of deprecated) {
    // A withdrawn item stays withdrawn.
    yield* Effect.catchTag(administration.deprecateItem({ name }), "NotDeprecatable", () => Effect.void)
  }
  const changes = new Map(published.map((item) => [key(item), item]))
  return items.flatMap((item): ReadonlyArray<Imported> => {
    const change = changes.get(key(item))
    return change === undefined ? [] : [{ ...change, file: item.file, deprecated: isDeprecated(item) }]
  })
})

const counts = (imported: ReadonlyArray<Imported>): string =>
  (["created", "updated", "reactivated", "unchanged"] as const)
    .map((change) => `${imported.filter((item) => item.change === change).length} ${change}`)
    .join(", ")

export const importCommand = Command.make(
  "import",
  {
    paths: Manifests.paths,
    dryRun: Flags.toggle("dry-run", "Show the changes without publishing them"),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ dryRun, json, paths }) {
    const listed = yield* allItems
    const checked = yield* Manifests.check(paths, yield* Catalogued.known(listed))
    yield* Manifests.print(checked)
    if (Manifests.errorsOf(checked).length > 0) {
      return yield* new CommandError({
        message: `Nothing was published: ${Manifests.summary(checked)}`
      })
    }
    yield* Manifests.some(checked)
    const imported = dryRun ? plan(checked.items, listed) : yield* publishAll(checked.items)
    if (json) return yield* Output.printJson({ dryRun, items: imported })
    if (imported.length > 0) {
      yield* Console.log(
        Output.table(
          ["KIND", "NAME", "CHANGE", "VERSION", "FILE"],
          imported.map(({ change, file, kind, name, version }) => [kind, name, change, version ?? "-", file])
        )
      )
    }
    yield* Console.error(`${dryRun ? "Would be: " : ""}${counts(imported)}`)
  })
).pipe(
  Command.withDescription(
    "Publish manifests: all of them, or none if one has an error. Publishing reactivates deprecated and withdrawn items, unless their manifest is marked as deprecated"
  ),
  Command.withShortDescription("Publish manifests"),
  Command.withExamples([
    { command: "inferlog models import ./models --dry-run" },
    { command: "inferlog models import flux.yaml" }
  ]),
  Command.provide(OperatorAccess.layerExisting)
)
