/** `Administration` for commands: through the running server, or on the log itself when none runs. */
import { Effect, Layer, Schedule } from "effect"
import * as AdminClient from "#src/edges/admin/AdminClient.ts"
import * as LocalAdministration from "#src/edges/admin/LocalAdministration.ts"
import { CatalogProgress } from "#src/features/catalog/CatalogProgress.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as DataLock from "#streams/DataLock.ts"

/** Loaded only when no server runs: loading takes about half of a command's time. */
const local = Effect.map(
  Effect.promise(() =>
    Promise.all([import("#src/composition/Core.ts"), import("#src/features/catalog/ActorPublishing.ts")])
  ),
  ([Core, ActorPublishing]) =>
    LocalAdministration.layer.pipe(
      // The command serves no requests, so its catalog need not follow the log.
      Layer.provide(ActorPublishing.layerOwnActors.pipe(Layer.provide(CatalogProgress.layerStatic))),
      Layer.provide([Core.layer, PublicUrls.layer])
    )
)

const choose = Effect.gen(function* () {
  const isFree = yield* DataLock.acquire(yield* DataDirectory).pipe(
    Effect.as(true),
    Effect.catchTag("DataDirectoryLocked", () => Effect.succeed(false)),
    Effect.scoped
  )
  return isFree ? yield* local : yield* AdminClient.open
})

/** Waits up to 5 s for a server that is starting or stopping, and for another command. */
export const layer = Layer.effectContext(
  Effect.flatMap(choose, (found) => Layer.build(Layer.fresh(found))).pipe(
    Effect.retry({
      schedule: Schedule.spaced("100 millis"),
      times: 50,
      while: (error) => error._tag === "ServerUnreachable" || error._tag === "DataDirectoryLocked"
    })
  )
)
