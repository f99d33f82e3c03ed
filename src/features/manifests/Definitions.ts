import type { Definitions } from "#src/features/catalog/Publishing.ts"
import * as Listings from "./kinds/ListingManifests.ts"
import * as ModelManifest from "./kinds/ModelManifest.ts"
import * as WrapperManifest from "./kinds/WrapperManifest.ts"
import type { Manifest } from "./Manifest.ts"

const modelsOf = (manifest: ModelManifest.ModelManifest) => {
  const bindings = ModelManifest.bindingsOf(manifest)
  return bindings === null ? [] : [ModelManifest.definitionOf(manifest, bindings)]
}

/** Each as it stands, whether or not it is good together with the others (`Checks`). */
export const ofManifests = (manifests: ReadonlyArray<Manifest>): Definitions => ({
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
