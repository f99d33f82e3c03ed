/** One look at the folder of manifests: what is good and has changed is published, the rest stays as it was. */
import * as path from "node:path"
import { Context, Effect, Metric } from "effect"
import { CatalogContents } from "#src/catalog/CatalogContents.ts"
import { Publishing } from "#src/catalog/Publishing.ts"
import { Catalog } from "#src/models/Catalog.ts"
import * as AllMetrics from "#src/operations/metrics/AllMetrics.ts"
import * as Checks from "./Checks.ts"
import * as Drafts from "./Drafts.ts"
import { definitionsOf, isDeprecated, type Item } from "./Items.ts"
import type { KnownItems } from "./Known.ts"
import * as ManifestFiles from "./ManifestFiles.ts"
import { isError, type Problem, text } from "./Problem.ts"

/** Files that are published at once: their definitions share the log's commits. */
const concurrency = 8

const keyOf = ({ kind, name }: Pick<Item, "kind" | "name">): string => `${kind} ${name}`

/** What the catalog of this node has already. */
const published = Effect.gen(function* () {
  const { find } = yield* Catalog
  const { current } = yield* CatalogContents
  const known: KnownItems = {
    find,
    hasGpu: (id) => Effect.map(current, ({ gpus }) => gpus.some(({ gpu }) => gpu.id === id))
  }
  return known
})

const byFile = (items: ReadonlyArray<Item>): ReadonlyMap<string, ReadonlyArray<Item>> =>
  Map.groupBy(items, ({ file }) => file)

/** `models/<path>`, as the events have it. */
const sourceOf = (folder: string, file: string): string =>
  `models/${path.relative(folder, file).split(path.sep).join("/")}`

export const make = Effect.fnUntraced(function* (folder: string) {
  const publishing = yield* Publishing
  const known = yield* published
  const { current } = yield* CatalogContents
  const context = Context.make(Metric.MetricRegistry, yield* Metric.MetricRegistry)
  /** Of the files that the last complete pass has read. */
  let stamp: string | null = null
  /** Whether what the catalog gets otherwise can mend something. */
  let hasErrors = false
  /** Problems that were logged, and are there still. */
  let told: ReadonlySet<string> = new Set()
  /** What manifests held when it was last told. */
  let held: ReadonlySet<string> = new Set()
  let unreadable: string | null = null

  const tellProblems = Effect.fnUntraced(function* (problems: ReadonlyArray<Problem>) {
    const now = new Set<string>()
    for (const problem of problems) {
      const line = text(problem)
      now.add(line)
      if (told.has(line)) continue
      yield* isError(problem)
        ? Effect.logError(`A manifest has an error: ${line}`)
        : Effect.logWarning(`A manifest is doubtful: ${line}`)
    }
    if (told.size > 0 && now.size === 0) yield* Effect.logInfo("All manifests are good again")
    told = now
    AllMetrics.manifestErrors.of().updateUnsafe(problems.filter(isError).length, context)
  })

  /** Items of files that have errors are there still, for all we can tell. */
  const tellRemoved = Effect.fnUntraced(function* ({ items, problems }: Checks.Checked) {
    const now = new Set(items.map(keyOf))
    const isCertain = !problems.some(isError)
    for (const key of held) {
      if (now.has(key)) continue
      if (!isCertain) {
        now.add(key)
        continue
      }
      const [kind = "", name = ""] = key.split(" ")
      yield* Effect.logWarning(
        `The ${kind} ${name} is in no manifest any more. It stays in the catalog: 'inferlog models withdraw ${name}' takes it out`
      )
    }
    held = now
  })

  const publishFile = Effect.fnUntraced(function* (file: string, items: ReadonlyArray<Item>) {
    const source = sourceOf(folder, file)
    const changes = yield* publishing.publish(definitionsOf(items), { source, reactivates: false })
    for (const { change, kind, name } of changes) {
      if (change === "unchanged") continue
      yield* Effect.logInfo("A manifest is published").pipe(Effect.annotateLogs({ file, kind, name, change }))
    }
    for (const { name } of items.filter(isDeprecated)) {
      // What was withdrawn stays so.
      yield* Effect.catchTag(publishing.deprecate(name), "ItemNotFound", () => Effect.void)
    }
  })

  /** Whether all that is good is published; what is not is tried again. */
  const publish = (items: ReadonlyArray<Item>): Effect.Effect<boolean> =>
    Effect.map(
      Effect.forEach(
        byFile(items),
        ([file, some]) =>
          publishFile(file, some).pipe(
            Effect.as(true),
            Effect.catchTag("EndpointTaken", ({ message }) =>
              Effect.as(Effect.logError(`A manifest cannot be published: ${file}: ${message}`), true)
            ),
            Effect.catch(({ message }) =>
              Effect.as(Effect.logError(`A manifest cannot be published now: ${file}: ${message}`), false)
            )
          ),
        { concurrency }
      ),
      (done) => done.every(Boolean)
    )

  const look = Effect.gen(function* () {
    const files = yield* ManifestFiles.find(folder)
    const stamps = files.map((file) => `${file.name} ${file.stamp}`).join("\n")
    if (unreadable !== null) yield* Effect.logInfo("MODELS_DIR can be read again")
    unreadable = null
    const { revision } = yield* current
    const seen = hasErrors ? `${stamps}\n${revision}` : stamps
    if (seen === stamp) return
    const checked = yield* Checks.check(yield* Drafts.read(files), known)
    hasErrors = checked.problems.some(isError)
    yield* tellProblems(checked.problems)
    yield* tellRemoved(checked)
    stamp = (yield* publish(checked.items)) ? (hasErrors ? `${stamps}\n${revision}` : stamps) : null
  })

  /** Never fails. */
  return look.pipe(
    Effect.catch(({ message }) => {
      if (message === unreadable) return Effect.void
      unreadable = message
      return Effect.logError(`MODELS_DIR: ${message}`)
    }),
    Effect.withSpan("FolderPass.look")
  )
})
