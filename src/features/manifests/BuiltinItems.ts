/** The models and manifests (`models/`) that ship with the server. */
import * as url from "node:url"
import { Context, Effect, Exit, Layer } from "effect"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as Checks from "./Checks.ts"
import * as Drafts from "./Drafts.ts"
import type { KnownItems } from "./Known.ts"
import * as ManifestFiles from "./ManifestFiles.ts"
import type { Definitions } from "#src/features/catalog/Publishing.ts"
import * as Listings from "./kinds/ListingManifests.ts"
import * as ModelManifest from "./kinds/ModelManifest.ts"
import * as WrapperManifest from "./kinds/WrapperManifest.ts"
import type { Manifest } from "./Manifest.ts"

const modelsOf = (manifest: ModelManifest.ModelManifest) => {
  const bindings = ModelManifest.bindingsOf(manifest)
  return bindings === null ? [] : [ModelManifest.definitionOf(manifest, bindings)]
}

/** Each by itself; `Checks` compares them. */
const ofManifests = (manifests: ReadonlyArray<Manifest>): Definitions => ({
  models: manifests.flatMap((manifest) => (manifest.kind === "model" ? modelsOf(manifest) : [])),
  wrappers: manifests.flatMap((manifest) =>
    manifest.kind === "wrapper" ? [WrapperManifest.definitionOf(manifest)] : []
  ),
  collections: manifests.flatMap((manifest) =>
    manifest.kind === "collection" ? [Listings.collectionOf(manifest)] : []
  ),
  gpus: manifests.flatMap((manifest) => (manifest.kind === "gpu" ? [Listings.gpuOf(manifest)] : [])),
  templates: manifests.flatMap((manifest) =>
    manifest.kind === "deployment-template" ? [Listings.templateOf(manifest)] : []
  )
})

const folder = url.fileURLToPath(new URL("../../../models", import.meta.url))

const codeModels = Effect.map(Catalog, ({ find }): KnownItems => ({
  find,
  hasGpu: () => Effect.succeed(false)
})).pipe(Effect.provide(BuiltinCatalog.layer))

/** The built-in manifests, over the built-in models. */
export const checked = Effect.gen(function* () {
  const files = yield* ManifestFiles.find(folder)
  return yield* Checks.check(yield* Drafts.read(files), yield* codeModels)
})

/** As `checked`, without compiling schemas and expressions, which the tests of the release have done. */
export const definitions = Effect.gen(function* () {
  const files = yield* ManifestFiles.find(folder)
  const { drafts } = yield* Drafts.read(files)
  return ofManifests(drafts.map(({ manifest }) => manifest))
})

const reading = Effect.map(Effect.exit(definitions), (read) => (Exit.isSuccess(read) ? read : definitions))

/**
 * `definitions`, read already when it is provided. Needs nothing, so a server reads them while it waits for its log and read models.
 * What could not be read is tried again at each use.
 */
export class BuiltinDefinitions extends Context.Service<BuiltinDefinitions, Effect.Success<typeof reading>>()(
  "inferlog/features/manifests/BuiltinDefinitions"
) {
  static readonly layer = Layer.effect(BuiltinDefinitions, reading)
}

/** Everything built in, to check manifests without a log. */
export const known = Effect.gen(function* () {
  const code = yield* codeModels
  const { items } = yield* checked
  const entries = new Map(
    items.flatMap((item) => ("entry" in item && item.entry !== null ? [[item.name, item.entry]] : []))
  )
  const gpus = new Set(items.flatMap((item) => (item.kind === "gpu" ? [item.name] : [])))
  const found: KnownItems = {
    find: (endpoint) => {
      const entry = entries.get(endpoint)
      return entry === undefined ? code.find(endpoint) : Effect.succeed(entry)
    },
    hasGpu: (id) => Effect.sync(() => gpus.has(id))
  }
  return found
})
