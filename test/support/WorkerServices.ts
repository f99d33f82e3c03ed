/** The worker routes' services, and worker keys. */
import { Layer } from "effect"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import { WorkerPool } from "#src/features/providers/pull/WorkerPool.ts"
import * as LeasesElsewhere from "#src/features/dispatch/RemoteLeases.ts"
import { WorkerAuthentication } from "#src/features/providers/workers/WorkerAuthentication.ts"
import { WorkerCalls } from "#src/features/providers/workers/WorkerCalls.ts"
import { WorkerKeyActors } from "#src/features/providers/workers/WorkerKeyActors.ts"
import { WorkerKeys } from "#src/features/providers/workers/WorkerKeys.ts"

const keys = Layer.merge(WorkerAuthentication.layer, WorkerKeys.layer)

/** On the only node. */
export const layer = Layer.merge(keys, WorkerCalls.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(WorkerPool.layer, WorkerKeyActors.layer, Nodes.layerSingle))
)

/** On one of several. */
export const layerOnNode = Layer.merge(
  keys,
  WorkerCalls.layer.pipe(Layer.provide(LeasesElsewhere.layer))
).pipe(Layer.provideMerge(WorkerPool.layer))
