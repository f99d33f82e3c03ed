/** `Nodes`, `NodeReports` and `Lease` for the configured log. */
import { Effect, Layer } from "effect"
import { Lease } from "./Lease.ts"
import { LogServers } from "./LogServers.ts"
import * as NodeReports from "./NodeReports.ts"
import { Nodes } from "./Nodes.ts"

const single = Layer.merge(NodeReports.layerSingle, Lease.layerSingle).pipe(
  Layer.provideMerge(Nodes.layerSingle)
)

/** Loaded only when there are other nodes. */
const shared = Layer.unwrap(
  Effect.promise(async () => {
    const [NatsLease, NatsNodes] = await Promise.all([import("./NatsLease.ts"), import("./NatsNodes.ts")])
    return NatsLease.layer.pipe(Layer.provideMerge(NatsNodes.layer))
  })
)

export const layer = LogServers.choose({ single, shared })
