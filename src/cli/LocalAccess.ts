/** `Administration` on the log itself, with the layers of a server that it needs. */
import { Layer } from "effect"
import * as Core from "#src/composition/Core.ts"
import * as LocalAdministration from "#src/edges/admin/LocalAdministration.ts"
import * as ActorPublishing from "#src/features/catalog/ActorPublishing.ts"
import { CatalogProgress } from "#src/features/catalog/CatalogProgress.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"

export const layer = LocalAdministration.layer.pipe(
  // The command serves no requests, so its catalog need not follow the log.
  Layer.provide(ActorPublishing.layerOwnActors.pipe(Layer.provide(CatalogProgress.layerStatic))),
  Layer.provide([Core.layer, PublicUrls.layer])
)
