/** Checks manifests against each other and against the catalog: from drafts to publishable definitions. */
import { Effect } from "effect"
import type { ItemKind } from "#src/features/catalog/Publishing.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import type { Draft, Drafts } from "./Drafts.ts"
import * as EndpointChecks from "./EndpointChecks.ts"
import type { Item } from "./Items.ts"
import * as Known from "./Known.ts"
import * as ListingChecks from "./ListingChecks.ts"
import { isError, type Diagnostic, sorted } from "./Diagnostic.ts"

export interface Checked {
  /** Valid definitions whose dependencies are valid, too. */
  readonly items: ReadonlyArray<Item>
  /** All errors and warnings, by file and place. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
  /** Number of documents, valid or not. */
  readonly found: number
}

/** Models and wrappers share their names; other kinds have their own. */
const space = (kind: ItemKind): string => (kind === "model" || kind === "wrapper" ? "endpoint" : kind)

/** Of two items with one name the second is an error and the first is not offered: it is unclear which is meant. */
const splitByName = (drafts: ReadonlyArray<Draft>) => {
  const byName = new Map<string, Array<Draft>>()
  for (const draft of drafts) {
    const key = `${space(draft.manifest.kind)} ${draft.manifest.name}`
    byName.set(key, [...(byName.get(key) ?? []), draft])
  }
  const diagnostics = [...byName.values()].flatMap(([first, ...others]) =>
    others.map((other) => {
      const { line } = first?.diagnostic("error", ["name"], "") ?? { line: 1 }
      return other.diagnostic("error", ["name"], `Expected another name: ${first?.file}:${line} has this one`)
    })
  )
  const single = [...byName.values()].flatMap(([first, ...others]) =>
    first !== undefined && others.length === 0 ? [first] : []
  )
  const taken = [...byName.values()].flatMap((all) => (all.length > 1 ? all : []))
  return { single, diagnostics, broken: new Set(taken.map(({ manifest }) => manifest.name)) }
}

/** The version of a model or wrapper that the catalog offers, without compiling it; `null` without one. */
export type OfferedVersion = (endpoint: string) => string | null

/** Lets other work run between manifests, because large folders take seconds. */
export const check = Effect.fnUntraced(function* (
  drafts: Drafts,
  known: Known.KnownItems,
  offered: OfferedVersion = () => null
) {
  const { broken, diagnostics, single } = splitByName(drafts.drafts)
  const entries = new Map<string, CatalogEntry>()
  const gpus = new Set<string>()
  const everything = Known.orElse(
    {
      find: (endpoint) => Effect.sync(() => entries.get(endpoint) ?? null),
      hasGpu: (id) => Effect.sync(() => gpus.has(id))
    },
    known
  )
  const surroundings = {
    known: everything,
    isBroken: (endpoint: string) => drafts.broken.has(endpoint) || broken.has(endpoint)
  }

  const found: Array<Diagnostic> = [...drafts.diagnostics, ...diagnostics]
  const items: Array<Item> = []
  const keep = (draft: Draft, item: Item | null, about: ReadonlyArray<Diagnostic>) => {
    found.push(...about)
    if (item === null || about.some(isError)) {
      if (space(draft.manifest.kind) === "endpoint") broken.add(draft.manifest.name)
      return
    }
    items.push(item)
    if ("entry" in item && item.entry !== null) entries.set(draft.manifest.name, item.entry)
    if (item.kind === "gpu") gpus.add(item.gpu.id)
  }

  const isOffered: EndpointChecks.IsOffered = (endpoint, version) => offered(endpoint) === version

  // Each kind only names kinds before it.
  for (const draft of single) {
    if (draft.manifest.kind !== "model") continue
    yield* Effect.yieldNow
    const { item, diagnostics } = yield* EndpointChecks.model(draft, draft.manifest, isOffered)
    keep(draft, item, diagnostics)
  }
  for (const draft of single) {
    if (draft.manifest.kind !== "wrapper") continue
    yield* Effect.yieldNow
    // An unchanged wrapper may be invalid on a changed base.
    const { base } = draft.manifest
    const isSame: EndpointChecks.IsOffered = (endpoint, version) =>
      !entries.has(base) && isOffered(endpoint, version)
    const { item, diagnostics } = yield* EndpointChecks.wrapper(draft, draft.manifest, surroundings, isSame)
    keep(draft, item, diagnostics)
  }
  for (const draft of single) {
    if (draft.manifest.kind === "gpu") keep(draft, ListingChecks.gpu(draft, draft.manifest), [])
  }
  for (const draft of single) {
    if (draft.manifest.kind === "collection") {
      yield* Effect.yieldNow
      const isThere = (endpoint: string) => offered(endpoint) !== null
      const { item, diagnostics } = yield* ListingChecks.collection(
        draft,
        draft.manifest,
        surroundings,
        isThere
      )
      keep(draft, item, diagnostics)
    } else if (draft.manifest.kind === "deployment-template") {
      const { item, diagnostics } = yield* ListingChecks.template(draft, draft.manifest, surroundings)
      keep(draft, item, diagnostics)
    }
  }
  return { items, diagnostics: sorted(found), found: drafts.found } satisfies Checked
})
