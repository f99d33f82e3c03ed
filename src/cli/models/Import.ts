import { Console, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import {
  type ListedItem,
  PublishDefinitions,
  rememberingDefinitions
} from "#src/edges/admin/catalog/CatalogOperations.ts"
import * as Version from "#src/features/catalog/models/Version.ts"
import type { PublishedItem } from "#src/features/catalog/Publishing.ts"
import { definitionsOf, isDeprecated, type Item } from "#src/features/manifests/Items.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Manifests from "./Manifests.ts"
import * as Output from "#src/cli/Output.ts"
import { allItems } from "./CatalogAccess.ts"
import * as Catalogued from "./Catalogued.ts"
import { CommandError } from "#src/cli/Failure.ts"

interface Imported extends PublishedItem {
  readonly file: string
  readonly deprecated: boolean
}

const encode = Schema.encodeSync(PublishDefinitions)

/** As it is sent. */
const encoded = (item: Item) => {
  const payload = { ...definitionsOf([item]), source: "", reactivates: false }
  return rememberingDefinitions(encode(payload), payload as unknown as Json)
}

/** The fingerprint of the definition in its event. */
const fingerprintOf = (item: Item): string => {
  const { collections, gpus, models, templates, wrappers } = encoded(item)
  const [definition = null] = [...models, ...wrappers, ...collections, ...gpus, ...templates]
  return Version.fingerprint(definition)
}

const key = ({ kind, name }: Pick<ListedItem, "kind" | "name">): string => `${kind} ${name}`

const versionOf = (item: Item): string | null =>
  item.kind === "model" ? item.model.version : item.kind === "wrapper" ? item.wrapper.version : null

const planned = (item: Item, listed: ListedItem | undefined): PublishedItem["change"] => {
  if (listed === undefined) return "created"
  if (listed.fingerprint !== fingerprintOf(item)) return "updated"
  const isOffered = listed.status === "active" || isDeprecated(item)
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

/** Bytes of JSON; a definition has at most 256 KiB. */
const largestBatch = 512 * 1_024

/** Splits definitions into batches that fit the size limit of a message to the server. */
const batches = (items: ReadonlyArray<Item>): ReadonlyArray<ReadonlyArray<Item>> => {
  const made: Array<Array<Item>> = []
  let room = 0
  for (const item of items) {
    const bytes = Buffer.byteLength(JsonText.write(encoded(item)))
    const batch = made.at(-1)
    if (batch === undefined || bytes > room) {
      made.push([item])
      room = largestBatch - bytes
    } else {
      batch.push(item)
      room -= bytes
    }
  }
  return made
}

/** A manifest that is marked as deprecated does not reactivate its item. */
const publish = Effect.fnUntraced(function* (items: ReadonlyArray<Item>, reactivates: boolean) {
  const administration = yield* Administration
  const published: Array<PublishedItem> = []
  for (const batch of batches(items)) {
    const definitions = definitionsOf(batch)
    const { items } = yield* administration.publishDefinitions({
      ...definitions,
      source: "command",
      reactivates
    })
    published.push(...items)
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
