/** `Administration` directly and over the socket, with the real services and a new data directory. */
import { Layer, References } from "effect"
import * as AdminClient from "#src/edges/admin/AdminClient.ts"
import * as AdminServer from "#src/edges/admin/AdminServer.ts"
import * as LocalAdministration from "#src/edges/admin/LocalAdministration.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import * as ActorPublishing from "#src/features/catalog/ActorPublishing.ts"
import { CatalogProgress } from "#src/features/catalog/CatalogProgress.ts"
import * as Core from "#src/composition/Core.ts"
import * as Pace from "#src/kernel/async/Pace.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

export const quiet = Layer.succeed(References.MinimumLogLevel, "Error")

export const publicUrls = PublicUrls.layerOf({
  queueUrl: "https://queue.test",
  baseUrl: "https://api.test",
  mediaUrl: "https://media.test",
  mcpUrl: "https://mcp.test"
})

export const masterKey = MasterKey.layerOf(Buffer.alloc(32, 7))

export const publishing = ActorPublishing.layerOwnActors.pipe(Layer.provide(CatalogProgress.layerStatic))

export const core = Layer.merge(Authentication.layer.pipe(Layer.provide(masterKey)), publishing).pipe(
  Layer.provideMerge(Core.layer),
  Layer.provideMerge(publicUrls),
  Layer.provideMerge(TempDirectory.provide(DataDirectory.layerAt)),
  // Nothing else waits for its turn, so that no test depends on how long a page takes.
  Layer.provideMerge(Layer.succeed(Pace.ShareOfOthers, 0))
)

export const layers = {
  local: LocalAdministration.layer.pipe(Layer.provideMerge(core)),
  socket: Layer.unwrap(AdminClient.open).pipe(Layer.provideMerge(AdminServer.layer), Layer.provideMerge(core))
}
