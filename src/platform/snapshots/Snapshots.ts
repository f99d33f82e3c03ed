/** Snapshots of the read models for logs that nodes share. A log in the data directory has none. */
import { Effect, Layer } from "effect"
import { SnapshotPointer } from "#projections/snapshot/SnapshotPointer.ts"
import { LogServers } from "#src/platform/cluster/LogServers.ts"
import * as Telemetry from "#src/platform/telemetry/otlp/Telemetry.ts"
import { FollowedHead } from "#streams/FollowedHead.ts"
import { SnapshotReactor } from "./SnapshotReactor.ts"
import * as StartFromSnapshot from "./StartFromSnapshot.ts"

/** Loaded only when there are other nodes. */
const pointer = Layer.unwrap(
  Effect.promise(async () => {
    const [{ ClusterFacts }, ClusterSnapshotPointer] = await Promise.all([
      import("#src/platform/cluster/ClusterFacts.ts"),
      import("./ClusterSnapshotPointer.ts")
    ])
    return ClusterSnapshotPointer.layer.pipe(Layer.provide(ClusterFacts.layer))
  })
)

/** Build it before the read models are opened. */
export const layerRestored = LogServers.choose({
  single: Layer.empty,
  shared: StartFromSnapshot.layer.pipe(Layer.provide(pointer))
})

const taking = Layer.unwrap(Effect.map(FollowedHead, ({ now }) => SnapshotReactor.layer({ anchor: now })))

export const layerTaking = LogServers.choose({
  single: Layer.empty,
  shared: taking.pipe(Layer.provide(pointer), Layer.provide(Telemetry.untraced))
})

/** The head of the log at the newest snapshot; `null` when there is none. */
export const sharedHead = Effect.flatMap(SnapshotPointer, ({ get }) => get).pipe(
  Effect.map((found) => found?.snapshots.newest?.anchor ?? null),
  Effect.provide(pointer),
  Effect.catch((error) =>
    Effect.as(
      Effect.logWarning("Reading the log from its beginning, because no snapshot is known", error),
      null
    )
  )
)
