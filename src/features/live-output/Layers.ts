import { Effect, Layer } from "effect"
import { LogServers } from "#src/platform/cluster/LogServers.ts"
import * as FollowedOutput from "./FollowedOutput.ts"
import { LiveRuns } from "./LiveRuns.ts"
import * as SqliteChunkStore from "./SqliteChunkStore.ts"

/** Loaded only when there are other nodes. */
const shared = Layer.unwrap(
  Effect.promise(async () => {
    const NatsChunkStore = await import("./NatsChunkStore.ts")
    return NatsChunkStore.layer
  })
)

/** Where runs put their chunks. */
export const layerStore = LogServers.choose({ single: SqliteChunkStore.layer, shared })

/** The outputs of runs, for runs and for readers. */
export const layer = FollowedOutput.layer.pipe(Layer.provideMerge(LiveRuns.layer))
