/** Snapshots of the read models where nodes share a log; a log in the data directory has none. */
import { Effect, Layer } from "effect"
import { SnapshotPointer } from "#projections/snapshot/SnapshotPointer.ts"
import { LogServers } from "#src/platform/cluster/LogServers.ts"
import * as Telemetry from "#src/platform/telemetry/otlp/Telemetry.ts"
import { SeenHead } from "#streams/SeenHead.ts"
import { SnapshotReactor } from "./SnapshotReactor.ts"
import * as StartFromSnapshot from "./StartFromSnapshot.ts"

/** Loaded where there are other nodes only. */
const pointer = Layer.unwrap(
  Effect.promise(async () => {
    const [{ ClusterFacts }, ClusterSnapshotPointer] = await Promise.all([
      import("#src/platform/cluster/ClusterFacts.ts"),
      import("./ClusterSnapshotPointer.ts")
    ])
    return ClusterSnapshotPointer.layer.pipe(Layer.provide(ClusterFacts.layer))
  })
)

/** To be built before the read models are opened. */
export const layerRestored = LogServers.choose({
  single: Layer.empty,
  shared: StartFromSnapshot.layer.pipe(Layer.provide(pointer))
})

const taking = Layer.unwrap(Effect.map(SeenHead, ({ now }) => SnapshotReactor.layer({ anchor: now })))

export const layerTaking = LogServers.choose({
  single: Layer.empty,
  shared: taking.pipe(Layer.provide(pointer), Layer.provide(Telemetry.untraced))
})

/** How far the log had been seen when the newest snapshot was taken; `null` where nobody knows. */
export const toldHead = Effect.flatMap(SnapshotPointer, ({ get }) => get).pipe(
  Effect.map((found) => found?.snapshots.newest?.anchor ?? null),
  Effect.provide(pointer),
  Effect.catch((error) =>
    Effect.as(Effect.logWarning("The log is read from its beginning: no snapshot is known", error), null)
  )
)
