/** Nodes with their own NATS server, under a load that is spread over them. */
import { Effect } from "effect"
import type { Load } from "../../harness/Load.ts"
import * as LoadClient from "../../harness/LoadClient.ts"
import * as ScratchDirectory from "../../harness/ScratchDirectory.ts"
import type { Subject } from "../../harness/Subject.ts"
import * as Broker from "./Broker.ts"
import * as BrokerCosts from "./BrokerCosts.ts"
import * as NatsNodes from "./NatsNodes.ts"

export interface Options {
  readonly name: string
  readonly role: Subject["role"]
  /** At least one. */
  readonly nodes: number
  readonly sync: Broker.Sync
  /** Arguments of Node for a node. */
  readonly command: ReadonlyArray<string>
  readonly load: Pick<Load, "connections" | "requests" | "status">
  readonly warmUpSeconds: number
}

export const make = (options: Options): Subject => ({
  name: options.name,
  role: options.role,
  start: Effect.gen(function* () {
    const broker = yield* Broker.start({ directory: yield* ScratchDirectory.make, sync: options.sync })
    const [first, ...others] = yield* NatsNodes.serve({ ...options, broker })
    const run = yield* LoadClient.start(options.name)
    const ports = [first.port, ...others.map(({ port }) => port)] as const
    const pids = [first, ...others].flatMap(({ pids }) => pids)
    const parts = { broker, pids, who: "the nodes", one: "request" }

    const measure = (seconds: number) =>
      BrokerCosts.withGrowth(parts, BrokerCosts.meter(parts, run({ ...options.load, ports, seconds })))
    yield* measure(options.warmUpSeconds)
    return { measure }
  })
})
