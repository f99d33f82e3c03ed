/** A model or wrapper that can be run, compiled at its first use. */
import { Effect, Result } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import type { Wrapper } from "#domain/catalog/Wrapper.ts"
import { lazy } from "#src/kernel/async/Lazy.ts"
import type { BuiltinModel } from "./models/builtin/BuiltinModel.ts"
import * as BuiltinCatalog from "./models/BuiltinCatalog.ts"
import { type CatalogEntry, NotKnownHere, Unmeasurable } from "./models/Catalog.ts"
import * as ManifestEntry from "./models/ManifestEntry.ts"

type Compiled = Result.Result<CatalogEntry, ManifestEntry.InvalidDefinition>

export interface Offer {
  /** The model is available at once; other members die if the definition does not compile. */
  readonly entry: CatalogEntry
  readonly compiled: () => Compiled
  /** The compiled entry; `null`, logged once, if the definition does not compile. */
  readonly found: () => Effect.Effect<CatalogEntry | null>
  /** The compiled entry. Dies if only another release can compile it. */
  readonly known: () => Effect.Effect<CatalogEntry, NotKnownHere>
}

const none: Effect.Effect<CatalogEntry | null> = Effect.succeed(null)

const make = (model: Model, runs: ModelEndpoint, compile: () => Compiled): Offer => {
  const compiled = lazy(() => safely(compile))
  const entry = () => Result.getOrThrow(compiled())

  const first = Effect.suspend(() => {
    const result = compiled()
    if (Result.isSuccess(result)) return (found = known = Effect.succeed(result.success))
    found = none
    return logInvalid(model, result.failure)
  })
  let found: Effect.Effect<CatalogEntry | null> = first
  let known: Effect.Effect<CatalogEntry, NotKnownHere> = Effect.flatMap(
    Effect.suspend(() => found),
    (entry) =>
      entry === null ? Effect.fail(new NotKnownHere({ endpoint: model.endpoint })) : Effect.succeed(entry)
  )

  return {
    entry: {
      model,
      runs,
      validateInput: (input) => entry().validateInput(input),
      validateOutput: (output) => entry().validateOutput(output),
      mediaPointers: (output) => entry().mediaPointers(output),
      quantities: (input) => entry().quantities(input),
      runInput: (input) => entry().runInput(input),
      delivered: (result) => entry().delivered(result),
      get countsDelivered() {
        return entry().countsDelivered
      }
    },
    compiled,
    found: () => found,
    known: () => known
  }
}

const logInvalid = ({ endpoint, version }: Model, { reason }: ManifestEntry.InvalidDefinition) =>
  Effect.logError("A definition of the catalog cannot be offered").pipe(
    Effect.annotateLogs({ model: endpoint, version, reason }),
    Effect.as(null)
  )

/** The release that published it could compile it. */
const safely = (compile: () => Compiled): Compiled => {
  try {
    return compile()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return Result.fail(new ManifestEntry.InvalidDefinition({ reason }))
  }
}

const builtins: ReadonlyMap<string, BuiltinModel> = new Map(
  BuiltinCatalog.builtinModels.map((builtin) => [builtin.model.endpoint, builtin])
)

const isBuiltin = ({ providers }: Model): boolean => providers.every(({ adapter }) => adapter === "builtin")

/** Its quantities are code, which may belong to another release and not know this input. */
const compileBuiltin = (model: Model): Compiled => {
  const code = builtins.get(model.endpoint)
  if (code === undefined) {
    const reason = "providers: expected one that this release has"
    return Result.fail(new ManifestEntry.InvalidDefinition({ reason }))
  }
  const entry = BuiltinCatalog.entryOf({ model, quantities: code.quantities })
  if (model.version === code.model.version) return Result.succeed(entry)
  const quantities = (input: Json) =>
    Effect.try({
      try: () => code.quantities(input),
      catch: () => new Unmeasurable({ reason: "This release cannot compute the units of this run." })
    })
  return Result.succeed({
    ...entry,
    quantities,
    delivered: ({ input }) => Effect.map(quantities(input), ({ maxQuantity }) => maxQuantity)
  })
}

export const ofModel = (model: Model): Offer =>
  make(model, model.endpoint, () =>
    isBuiltin(model) ? compileBuiltin(model) : ManifestEntry.make({ model })
  )

/** `base` is not a wrapper. */
export const ofWrapper = (wrapper: Wrapper, base: Offer): Offer =>
  make(ManifestEntry.wrapperModel(wrapper, base.entry.model), base.entry.runs, () =>
    Result.flatMap(base.compiled(), (base) => ManifestEntry.makeWrapper({ wrapper, base }))
  )
