/** One pass over the folder of manifests: publishes valid changes, and leaves the rest as it was. */
import * as path from "node:path"
import { Effect, Result } from "effect"
import { CatalogContents, type Contents } from "#src/features/catalog/CatalogContents.ts"
import { type Batch, Publishing } from "#src/features/catalog/Publishing.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as Checks from "./Checks.ts"
import * as Drafts from "./Drafts.ts"
import * as FolderReport from "./FolderReport.ts"
import { definitionsOf, isDeprecated, type Item, keyOf, markOf } from "./Items.ts"
import type { KnownItems } from "./Known.ts"
import * as ManifestFiles from "./ManifestFiles.ts"
import { isError } from "./Diagnostic.ts"

/** What this node's catalog has. */
const published = Effect.gen(function* () {
  const { find } = yield* Catalog
  const { current } = yield* CatalogContents
  const known: KnownItems = {
    find,
    hasGpu: (id) => Effect.map(current, ({ gpus }) => gpus.some(({ gpu }) => gpu.id === id))
  }
  return known
})

const offeredIn =
  ({ byEndpoint }: Contents): Checks.OfferedVersion =>
  (endpoint) => {
    const listed = byEndpoint.get(endpoint)
    if (listed === undefined) return null
    return listed.kind === "model" ? listed.model.version : listed.wrapper.version
  }

/** Whether publishing would change nothing, according to the catalog in memory. */
const isShown = ({ byEndpoint }: Contents, item: Item): boolean => {
  // The entry is omitted if the catalog offers the same version.
  if (!("entry" in item) || item.entry !== null) return false
  return !item.isDeprecated || byEndpoint.get(item.name)?.status === "deprecated"
}

/** Prefix of event sources; the file's path below the folder follows. */
export const sourcePrefix = "models/"

const sourceOf = (folder: string, file: string): string =>
  `${sourcePrefix}${path.relative(folder, file).split(path.sep).join("/")}`

export const make = Effect.fnUntraced(function* (folder: string) {
  const publishing = yield* Publishing
  const known = yield* published
  const { current } = yield* CatalogContents
  const report = yield* FolderReport.make
  const read = Drafts.reader()
  /** Results of the last pass. */
  let stamp: string | null = null
  /** Whether other changes of the catalog can fix something. */
  let hasErrors = false
  /** By key: as last published. What others publish over it stays until its manifest changes. */
  let settled: ReadonlyMap<string, string> = new Map()
  /** Valid and not yet on the log. */
  let waiting: ReadonlyArray<Item> = []

  /** Refused by the log for now. */
  const publish = Effect.fnUntraced(function* (items: ReadonlyArray<Item>) {
    const files = [...Map.groupBy(items, ({ file }) => file)]
    const results = yield* publishing.publishBatches(
      files.map(([file, some]): Batch => ({
        definitions: definitionsOf(some),
        deprecated: some.filter(isDeprecated).map(({ name }) => name),
        source: sourceOf(folder, file),
        reactivates: false
      }))
    )
    const left: Array<Item> = []
    for (const [index, [file, some]] of files.entries()) {
      const result = results[index]
      if (result === undefined) continue
      if (Result.isSuccess(result)) {
        yield* report.published(file, result.success)
        continue
      }
      yield* report.notPublished(file, result.failure)
      if (result.failure._tag !== "EndpointTaken") left.push(...some)
    }
    return left
  })

  /** The items to publish. */
  const check = Effect.fnUntraced(function* (
    files: ReadonlyArray<ManifestFiles.FoundFile>,
    contents: Contents
  ) {
    const checked = yield* Checks.check(yield* read(files), known, offeredIn(contents))
    hasErrors = checked.diagnostics.some(isError)
    yield* report.diagnostics(checked.diagnostics)
    yield* report.removed(checked)
    const unsettled = new Set(waiting.map(keyOf))
    const due = checked.items.filter(
      (item) =>
        !isShown(contents, item) && (unsettled.has(keyOf(item)) || settled.get(keyOf(item)) !== markOf(item))
    )
    const now = checked.items.map((item): [string, string] => [keyOf(item), markOf(item)])
    // While there are errors, an item may be in an unreadable file.
    settled = new Map([...(hasErrors ? settled : []), ...now])
    return due
  })

  const look = Effect.gen(function* () {
    const files = yield* ManifestFiles.find(folder)
    yield* report.readable
    const stamps = files.map((file) => `${file.name} ${file.stamp}`).join("\n")
    const contents = yield* current
    const stampOf = () => (hasErrors ? `${stamps}\n${contents.revision}` : stamps)
    if (stampOf() !== stamp) {
      waiting = yield* check(files, contents)
      stamp = stampOf()
    }
    if (waiting.length > 0) waiting = yield* publish(waiting)
  })

  /** Never fails. */
  return look.pipe(
    Effect.catch(({ message }) => report.unreadable(message)),
    Effect.withSpan("FolderPass.look")
  )
})
