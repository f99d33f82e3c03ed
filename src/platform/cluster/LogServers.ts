/** The servers that keep the log of all nodes, as far as there are any: what else nodes share is kept there too. */
import { Context, Effect, Layer } from "effect"
import type { Nats } from "#streams/nats/Nats.ts"
import type { SeenHead } from "#streams/SeenHead.ts"

export class LogServers extends Context.Service<
  LogServers,
  /** The connection to them, and what is seen of the log; `null` when that is in the data directory, of the only node. */
  Context.Context<Nats | SeenHead> | null
>()("inferlog/src/platform/cluster/LogServers") {
  /** One layer for the only node, another one for those that share a log. */
  static readonly choose = <A, E, R, E2, R2>({
    shared,
    single
  }: {
    readonly single: Layer.Layer<A, E, R>
    readonly shared: Layer.Layer<A, E2, R2>
  }) =>
    Layer.unwrap(
      Effect.map(LogServers, (servers): Layer.Layer<A, E | E2, R | Exclude<R2, Nats | SeenHead>> =>
        servers === null ? single : Layer.provide(shared, Layer.succeedContext(servers))
      )
    )
}
