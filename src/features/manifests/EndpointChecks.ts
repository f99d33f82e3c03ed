/** Checks models and wrappers as something that can be run. */
import { Effect, Result } from "effect"
import { nearest } from "#src/kernel/text/EditDistance.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import * as ManifestEntry from "#src/features/catalog/models/ManifestEntry.ts"
import * as WrapperTemplate from "#src/features/catalog/models/WrapperTemplate.ts"
import * as Bindings from "./Bindings.ts"
import type { Draft } from "./Drafts.ts"
import type { Item } from "./Items.ts"
import * as InputChecks from "./InputChecks.ts"
import * as OutputChecks from "./OutputChecks.ts"
import * as ModelManifest from "./kinds/ModelManifest.ts"
import * as WrapperManifest from "./kinds/WrapperManifest.ts"
import type { KnownItems } from "./Known.ts"
import { isError, type Path, type Diagnostic } from "./Diagnostic.ts"

export interface Surroundings {
  readonly known: KnownItems
  /** Its manifest exists and has errors. */
  readonly isBroken: (endpoint: string) => boolean
}

/** Whether the catalog offers this version, which was checked before it was published. */
export type IsOffered = (endpoint: string, version: string) => boolean

interface Outcome {
  readonly item: Item | null
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/** Bytes of a definition as JSON, because it is one event. */
const largestDefinition = 256 * 1_024

/** Stops at a large number of faults: compiling a schema takes far longer than reading it. */
const general = (
  draft: Draft,
  { description = "" }: { readonly description?: string },
  definition: object
): ReadonlyArray<Diagnostic> => {
  const bytes = Buffer.byteLength(
    JSON.stringify(definition, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value))
  )
  return [
    ...(bytes > largestDefinition
      ? [draft.diagnostic("error", [], `Expected a definition of at most ${largestDefinition} bytes as JSON`)]
      : []),
    ...(description.trim() === ""
      ? [draft.diagnostic("warning", ["description"], "Missing: lists and searches show what it says")]
      : [])
  ]
}

/** `providers[0].input: …`, as in `InvalidDefinition`. */
const locate = (reason: string, provider: (index: number) => Path): readonly [Path, string] => {
  const [, index, part, ofBinding] = /^providers\[(\d+)\]\.(\w+): ([\s\S]+)$/.exec(reason) ?? []
  if (index !== undefined && part !== undefined) {
    return [[...provider(Number(index)), part], ofBinding ?? reason]
  }
  const [, outer, rest = reason] = /^(\w+)(?:: |\.)([\s\S]+)$/.exec(reason) ?? []
  if (outer !== "pricing") return [outer === undefined ? [] : [outer], rest]
  const [, inner, ofPrice] = /^(\w+): ([\s\S]+)$/.exec(rest) ?? []
  return inner === undefined ? [["pricing"], rest] : [["pricing", inner], ofPrice ?? rest]
}

const exampleProblems = Effect.fnUntraced(function* (draft: Draft, entry: CatalogEntry) {
  const { exampleInput } = entry.model
  const issues = entry.validateInput(exampleInput)
  if (issues.length > 0) {
    return issues.map(({ message, path }) =>
      draft.diagnostic("error", ["exampleInput", ...path], `Not valid under inputSchema: ${message}`)
    )
  }
  return yield* Effect.match(Effect.catchTag(entry.quantities(exampleInput), "EvaluatorBusy", Effect.die), {
    onSuccess: () => [],
    onFailure: ({ reason }) => [draft.diagnostic("error", ["pricing"], `Of exampleInput: ${reason}`)]
  })
})

export const model = Effect.fnUntraced(function* (
  draft: Draft,
  manifest: ModelManifest.ModelManifest,
  isOffered: IsOffered
) {
  const bindings = ModelManifest.bindingsOf(manifest)
  if (bindings === null) {
    const message =
      manifest.providers === undefined
        ? "Missing: expected providers, or provider for one"
        : "Expected providers or provider, not both"
    return { item: null, diagnostics: [draft.diagnostic("error", ["provider"], message)] }
  }
  const definition = ModelManifest.definitionOf(manifest, bindings)
  const at = (index: number): Path => (manifest.providers === undefined ? ["provider"] : ["providers", index])
  const about = general(draft, manifest, definition)
  if (about.some(isError)) return { item: null, diagnostics: about }
  const checked = yield* Bindings.check(definition, at)
  const diagnostics = [
    ...about,
    ...InputChecks.diagnostics(draft, definition),
    ...[...checked.errors, ...OutputChecks.check(definition, at)].map(({ message, path }) =>
      draft.diagnostic("error", path, message)
    ),
    ...checked.warnings.map(({ message, path }) => draft.diagnostic("warning", path, message))
  ]
  const itemOf = (entry: CatalogEntry | null): Item => ({
    kind: "model",
    name: definition.endpoint,
    file: draft.file,
    model: definition,
    entry,
    isDeprecated: manifest.deprecated ?? false
  })
  if (isOffered(definition.endpoint, definition.version)) return { item: itemOf(null), diagnostics }
  const made = ManifestEntry.make({ model: definition })
  if (Result.isFailure(made)) {
    const [path, message] = locate(made.failure.reason, at)
    return { item: null, diagnostics: [...diagnostics, draft.diagnostic("error", path, message)] }
  }
  const entry = made.success
  const item = itemOf(entry)
  return { item, diagnostics: [...diagnostics, ...(yield* exampleProblems(draft, entry))] } satisfies Outcome
})

const propertiesOf = ({ inputSchema }: WrapperManifest.WrapperManifest): ReadonlyArray<string> => {
  const { properties } = inputSchema
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : []
}

const placeholderProblems = (draft: Draft, manifest: WrapperManifest.WrapperManifest) => {
  const names = [...propertiesOf(manifest), ...Object.keys(manifest.defaults ?? {})]
  return [...WrapperTemplate.placeholders(manifest.template)]
    .filter((name) => !names.includes(name))
    .map((name) => {
      const meant = nearest(name, names)
      const hint = meant === undefined ? "" : `: is ${meant} meant?`
      const message = `{{${name}}} is neither a property of inputSchema nor one of defaults${hint}`
      return draft.diagnostic("error", ["template"], message)
    })
}

const baseFault = (
  endpoint: string,
  entry: CatalogEntry | null,
  isBroken: Surroundings["isBroken"]
): string | null => {
  if (entry === null) {
    return isBroken(endpoint)
      ? `${endpoint} has errors of its own: they come first`
      : `There is no model ${endpoint}`
  }
  return entry.runs === endpoint ? null : `Expected a model: ${endpoint} is a wrapper`
}

export const wrapper = Effect.fnUntraced(function* (
  draft: Draft,
  manifest: WrapperManifest.WrapperManifest,
  { isBroken, known }: Surroundings,
  isOffered: IsOffered
) {
  const definition = WrapperManifest.definitionOf(manifest)
  const about = general(draft, manifest, definition)
  if (about.some(isError)) return { item: null, diagnostics: about }
  const diagnostics = [
    ...about,
    ...InputChecks.diagnostics(draft, definition),
    ...placeholderProblems(draft, manifest)
  ]
  const itemOf = (entry: CatalogEntry | null): Item => ({
    kind: "wrapper",
    name: definition.endpoint,
    file: draft.file,
    wrapper: definition,
    entry,
    isDeprecated: manifest.deprecated ?? false
  })
  if (isOffered(definition.endpoint, definition.version)) return { item: itemOf(null), diagnostics }
  const base = yield* known.find(manifest.base)
  const fault = baseFault(manifest.base, base, isBroken)
  if (base === null || fault !== null) {
    return { item: null, diagnostics: [...diagnostics, draft.diagnostic("error", ["base"], fault ?? "")] }
  }
  const made = ManifestEntry.makeWrapper({ wrapper: definition, base })
  if (Result.isFailure(made)) {
    const [path, message] = locate(made.failure.reason, () => [])
    return { item: null, diagnostics: [...diagnostics, draft.diagnostic("error", path, message)] }
  }
  const entry = made.success
  const item = itemOf(entry)
  return { item, diagnostics: [...diagnostics, ...(yield* exampleProblems(draft, entry))] } satisfies Outcome
})
