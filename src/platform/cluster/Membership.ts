/** `Nodes` and `Lease` for the configured log. */
import { Effect, Layer } from "effect"
import { Lease } from "./Lease.ts"
import { LogServers } from "./LogServers.ts"
import { Nodes } from "./Nodes.ts"

const single = Layer.merge(Nodes.layerSingle, Lease.layerSingle)

/** Loaded only when there are other nodes. */
const shared = Layer.unwrap(
  Effect.promise(async () => {
    const [NatsLease, NatsNodes] = await Promise.all([import("./NatsLease.ts"), import("./NatsNodes.ts")])
    return NatsLease.layer.pipe(Layer.provideMerge(NatsNodes.layer))
  })
)

export const layer = LogServers.choose({ single, shared })
