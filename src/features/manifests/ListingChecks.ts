/** Checks that collections and deployment templates name existing items. */
import { Effect } from "effect"
import type { Draft } from "./Drafts.ts"
import type { Surroundings } from "./EndpointChecks.ts"
import type { Item } from "./Items.ts"
import * as Listings from "./kinds/ListingManifests.ts"
import type { Diagnostic } from "./Diagnostic.ts"

const undescribed = (draft: Draft, { description = "" }: { readonly description?: string }) =>
  description.trim() === ""
    ? [draft.diagnostic("warning", ["description"], "Missing: lists show what it says")]
    : []

export const gpu = (draft: Draft, manifest: typeof Listings.GpuManifest.Type): Item => ({
  kind: "gpu",
  name: manifest.name,
  file: draft.file,
  gpu: Listings.gpuOf(manifest)
})

export const collection = Effect.fnUntraced(function* (
  draft: Draft,
  manifest: typeof Listings.CollectionManifest.Type,
  { isBroken, known }: Surroundings,
  isThere: (endpoint: string) => boolean
) {
  const diagnostics: Array<Diagnostic> = [...undescribed(draft, manifest)]
  for (const [index, endpoint] of manifest.models.entries()) {
    if (isThere(endpoint) || (yield* known.find(endpoint)) !== null) continue
    const message = isBroken(endpoint)
      ? `${endpoint} has errors of its own: they come first`
      : `There is no model or wrapper ${endpoint}`
    diagnostics.push(draft.diagnostic("error", ["models", index], message))
  }
  const item: Item = {
    kind: "collection",
    name: manifest.name,
    file: draft.file,
    collection: Listings.collectionOf(manifest)
  }
  return { item, diagnostics }
})

export const template = Effect.fnUntraced(function* (
  draft: Draft,
  manifest: typeof Listings.TemplateManifest.Type,
  { known }: Surroundings
) {
  const diagnostics: Array<Diagnostic> = [...undescribed(draft, manifest)]
  for (const [index, id] of manifest.gpus.entries()) {
    if (yield* known.hasGpu(id)) continue
    diagnostics.push(draft.diagnostic("error", ["gpus", index], `There is no GPU ${id}`))
  }
  const item: Item = {
    kind: "deployment-template",
    name: manifest.name,
    file: draft.file,
    template: Listings.templateOf(manifest)
  }
  return { item, diagnostics }
})
