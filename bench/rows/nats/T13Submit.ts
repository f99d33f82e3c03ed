/** T13: submit with the log on JetStream by one, two and three nodes, compared with a publishing client. */
import { Effect } from "effect"
import * as HttpSubject from "../../harness/HttpSubject.ts"
import * as ScratchDirectory from "../../harness/ScratchDirectory.ts"
import type { Row, Subject } from "../../harness/Subject.ts"
import * as Broker from "../../subjects/nats/Broker.ts"
import * as BrokerCosts from "../../subjects/nats/BrokerCosts.ts"
import * as SubmitsOverNats from "../../subjects/nats/SubmitsOverNats.ts"
import * as Child from "../log/Child.ts"
import * as T1Submit from "../T1Submit.ts"

export interface Options {
  /** One to three. */
  readonly nodes: number
  readonly sync: Broker.Sync
  /** Connections in total, spread over all nodes. */
  readonly connections: number
  readonly warmUpSeconds: number
}

const named = (nodes: number): string => (nodes === 1 ? "1 node" : `${nodes} nodes`)

const ofNodes = (
  nodes: number,
  role: Subject["role"],
  { connections, sync, warmUpSeconds }: Options
): Subject =>
  SubmitsOverNats.make({
    name: named(nodes),
    role,
    nodes,
    sync,
    command: T1Submit.command,
    load: { connections, requests: [T1Submit.request], status: 200 },
    warmUpSeconds
  })

const publish = ({ connections, sync, warmUpSeconds }: Options): Subject => ({
  name: "js.publish, two messages",
  role: "floor",
  start: Effect.gen(function* () {
    const broker = yield* Broker.start({ directory: yield* ScratchDirectory.make, sync })
    const entry = new URL("../../floors/nats/Publish.ts", import.meta.url)
    const child = yield* Child.start(entry, [broker.url, String(connections)])
    const parts = { broker, pids: [child.pid], who: "the client", one: "request" }
    const measure = (seconds: number) =>
      BrokerCosts.withGrowth(parts, BrokerCosts.meter(parts, child.measure(seconds)))
    yield* measure(warmUpSeconds)
    return { measure }
  })
})

const syncs = { always: "each message synced", default: "default sync" }

/** Several nodes are also compared with one node. */
export const rowOf = (options: Options): Row => {
  const { connections, nodes, sync } = options
  return {
    id: "T13",
    title: `Submit over JetStream, ${named(nodes)}, ${connections} connections, ${syncs[sync]}`,
    unit: "requests",
    subjects: [
      ofNodes(nodes, "ours", options),
      ...(nodes === 1 ? [] : [ofNodes(1, "floor", options)]),
      publish(options)
    ],
    targets: nodes === 2 ? { [named(1)]: 1.6 } : {}
  }
}

const row = (nodes: number, sync: Broker.Sync) =>
  rowOf({ nodes, sync, connections: 96, warmUpSeconds: HttpSubject.defaultWarmUpSeconds })

export const rows: ReadonlyArray<Row> = [
  row(1, "default"),
  row(2, "default"),
  row(3, "default"),
  row(1, "always")
]
