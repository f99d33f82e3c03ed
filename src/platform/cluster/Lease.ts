/** What one node does for all of them: sweeping, retention, snapshots. At most one node holds the lease, and mostly one does. */
import { Context, Effect, Layer } from "effect"

export class Lease extends Context.Service<
  Lease,
  {
    /**
     * Whether this node holds it, as far as it knows: for a moment two nodes may think so, and none while it passes on. What
     * is done under it must be harmless when two do it.
     */
    readonly isHeld: Effect.Effect<boolean>
  }
>()("inferlog/src/platform/cluster/Lease") {
  /** Of the only node. */
  static readonly layerSingle = Layer.succeed(Lease, { isHeld: Effect.succeed(true) })
}
