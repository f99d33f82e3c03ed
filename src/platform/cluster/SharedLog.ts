/** Whether other nodes use the log of this node. */
import { Context, Effect, Layer } from "effect"
import { LogServers } from "./LogServers.ts"

export class SharedLog extends Context.Service<SharedLog, boolean>()(
  "inferlog/src/platform/cluster/SharedLog"
) {
  static readonly layerOf = (isShared: boolean) => Layer.succeed(SharedLog, isShared)

  /** A log on NATS servers is shared. */
  static readonly layer = Layer.effect(
    SharedLog,
    Effect.map(LogServers, (servers) => servers !== null)
  )

  /** Chooses between a layer for a single node and one for nodes that share a log. */
  static readonly choose = <A, E, R, E2, R2>({
    shared,
    single
  }: {
    readonly single: Layer.Layer<A, E, R>
    readonly shared: Layer.Layer<A, E2, R2>
  }) =>
    Layer.unwrap(
      Effect.map(SharedLog, (isShared): Layer.Layer<A, E | E2, R | R2> => (isShared ? shared : single))
    )
}
