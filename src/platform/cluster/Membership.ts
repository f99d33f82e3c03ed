/** `Nodes` and `Lease` of the log that this node is over. */
import { Effect, Layer } from "effect"
import { Lease } from "./Lease.ts"
import { LogServers } from "./LogServers.ts"
import { Nodes } from "./Nodes.ts"

const single = Layer.merge(Nodes.layerSingle, Lease.layerSingle)

/** Loaded where there are other nodes only. */
const shared = Layer.unwrap(
  Effect.promise(async () => {
    const [NatsLease, NatsNodes] = await Promise.all([import("./NatsLease.ts"), import("./NatsNodes.ts")])
    return NatsLease.layer.pipe(Layer.provideMerge(NatsNodes.layer))
  })
)

export const layer = LogServers.choose({ single, shared })
