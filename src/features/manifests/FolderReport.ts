/** Reports the state of a folder of manifests to the operator: each change once. */
import { Context, Effect, Metric } from "effect"
import type { PublishedItem, PublishError } from "#src/features/catalog/Publishing.ts"
import * as Families from "./Families.ts"
import type { Checked } from "./Checks.ts"
import { type Item, keyOf } from "./Items.ts"
import { isError, type Diagnostic, text } from "./Diagnostic.ts"

export const make = Effect.gen(function* () {
  const context = Context.make(Metric.MetricRegistry, yield* Metric.MetricRegistry)
  /** Logged diagnostics that still exist. */
  let logged: ReadonlySet<string> = new Set()
  /** The manifests' contents at the last report. */
  let known: ReadonlyMap<string, Pick<Item, "kind" | "name">> = new Map()
  let unreadable: string | null = null
  /** By file: why it is not published. */
  const refused = new Map<string, string>()

  const diagnostics = Effect.fnUntraced(function* (found: ReadonlyArray<Diagnostic>) {
    const now = new Set<string>()
    for (const diagnostic of found) {
      const line = text(diagnostic)
      now.add(line)
      if (logged.has(line)) continue
      yield* isError(diagnostic)
        ? Effect.logError(`A manifest has an error: ${line}`)
        : Effect.logWarning(`A manifest has a warning: ${line}`)
    }
    if (logged.size > 0 && now.size === 0) yield* Effect.logInfo("All manifests are valid again")
    logged = now
    Families.manifestErrors.of().updateUnsafe(found.filter(isError).length, context)
  })

  /** Items of files with errors count as still there. */
  const removed = Effect.fnUntraced(function* ({ items, diagnostics }: Checked) {
    const now = new Map(items.map((item): [string, Pick<Item, "kind" | "name">] => [keyOf(item), item]))
    const isCertain = !diagnostics.some(isError)
    for (const [key, { kind, name }] of known) {
      if (now.has(key)) continue
      if (!isCertain) {
        now.set(key, { kind, name })
        continue
      }
      yield* Effect.logWarning(
        `The ${kind} ${name} is in no manifest any more. It stays in the catalog: 'inferlog models withdraw ${name}' takes it out`
      )
    }
    known = new Map([...now].map(([key, { kind, name }]) => [key, { kind, name }]))
  })

  const published = Effect.fnUntraced(function* (file: string, changes: ReadonlyArray<PublishedItem>) {
    refused.delete(file)
    for (const { change, kind, name } of changes) {
      if (change === "unchanged") continue
      yield* Effect.logInfo("A manifest is published").pipe(Effect.annotateLogs({ file, kind, name, change }))
    }
  })

  const notPublished = (file: string, { _tag, message }: PublishError) => {
    const now = _tag === "EndpointTaken" ? "" : " now"
    if (refused.get(file) === message) return Effect.void
    refused.set(file, message)
    return Effect.logError(`A manifest cannot be published${now}: ${file}: ${message}`)
  }

  return {
    diagnostics,
    removed,
    published,
    notPublished,
    readable: Effect.suspend(() => {
      const wasNot = unreadable !== null
      unreadable = null
      return wasNot ? Effect.logInfo("MODELS_DIR can be read again") : Effect.void
    }),
    unreadable: (message: string) => {
      if (message === unreadable) return Effect.void
      unreadable = message
      return Effect.logError(`MODELS_DIR: ${message}`)
    }
  }
})
