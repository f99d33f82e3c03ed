/** The connection to the NATS servers that store the log and the other state that nodes share. */
import { Context, Effect, Layer } from "effect"
import type { Nats } from "#streams/nats/Nats.ts"
import type { FollowedHead } from "#streams/FollowedHead.ts"

export class LogServers extends Context.Service<
  LogServers,
  /** The connection and the last seen head of the log; `null` for a single node with the log in its data directory. */
  Context.Context<Nats | FollowedHead> | null
>()("inferlog/src/platform/cluster/LogServers") {
  /** Chooses between a layer for a log in the data directory and one for a log on NATS servers. */
  static readonly choose = <A, E, R, E2, R2>({
    shared,
    single
  }: {
    readonly single: Layer.Layer<A, E, R>
    readonly shared: Layer.Layer<A, E2, R2>
  }) =>
    Layer.unwrap(
      Effect.map(LogServers, (servers): Layer.Layer<A, E | E2, R | Exclude<R2, Nats | FollowedHead>> =>
        servers === null ? single : Layer.provide(shared, Layer.succeedContext(servers))
      )
    )
}
