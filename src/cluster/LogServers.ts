/** The servers that keep the log of all nodes, as far as there are any: what else nodes share is kept there too. */
import { Context } from "effect"
import type { Nats } from "#streams/nats/Nats.ts"

/** The connection to them; `null` when the log is in the data directory, and this node is the only one. */
export class LogServers extends Context.Service<LogServers, Nats["Service"] | null>()(
  "inferlog/src/cluster/LogServers"
) {}
