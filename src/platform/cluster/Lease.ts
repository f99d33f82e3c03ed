/** A lease for work that one node does for all: sweeps, retention, snapshots. At most one node holds it. */
import { Context, Effect, Layer, Stream } from "effect"

export class Lease extends Context.Service<
  Lease,
  {
    /** As far as this node knows: for a moment two nodes or none may hold the lease, so its work must be repeatable. */
    readonly isHeld: Effect.Effect<boolean>
    /** Emits after this node has got the lease, coalesced. */
    readonly gains: Stream.Stream<void>
  }
>()("inferlog/src/platform/cluster/Lease") {
  /** For a single node. */
  static readonly layerSingle = Layer.succeed(Lease, { isHeld: Effect.succeed(true), gains: Stream.never })
}
