/** A lease for work that one node does for all: sweeps, retention, snapshots. At most one node holds it. */
import { Context, Effect, Layer } from "effect"

export class Lease extends Context.Service<
  Lease,
  {
    /**
     * Whether this node holds the lease, as far as it knows. While the lease passes on, two nodes or none may
     * believe to hold it, so work under it must be harmless when done twice.
     */
    readonly isHeld: Effect.Effect<boolean>
  }
>()("inferlog/src/platform/cluster/Lease") {
  /** For a single node. */
  static readonly layerSingle = Layer.succeed(Lease, { isHeld: Effect.succeed(true) })
}
