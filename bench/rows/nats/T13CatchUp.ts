/** T13: reading a log on NATS from its beginning, by our reader and by the projections of a new node. */
import { allProjections } from "#projections/AllProjections.ts"
import type { Row, Subject } from "../../harness/Subject.ts"
import * as BrokerSubject from "./BrokerSubject.ts"
import * as PreparedNats from "./PreparedNats.ts"

const names = allProjections.map(({ name }) => name)

export const rowsOf = (log: PreparedNats.Options): readonly [Row, Row] => {
  const common = { prepared: PreparedNats.make(log), one: "event" }

  const floor = BrokerSubject.make({
    ...common,
    name: "ordered consumer",
    role: "floor",
    entry: new URL("../../floors/nats/OrderedConsumer.ts", import.meta.url),
    args: ({ address, events }) => [address, String(events)],
    notes: ({ broker, events, requests }) => ({
      "bytes on the broker's disk per event": broker.diskBytes() / events,
      "bytes on the broker's disk per request life": broker.diskBytes() / requests,
      "events per request life": events / requests
    })
  })
  const reader = BrokerSubject.make({
    ...common,
    name: "EventReader.readAll",
    role: "ours",
    entry: new URL("./ReadAll.ts", import.meta.url),
    args: ({ address }) => [address]
  })
  const projections = BrokerSubject.make({
    ...common,
    name: "projections",
    role: "ours",
    entry: new URL("./Replay.ts", import.meta.url),
    args: ({ address, events }) => [address, String(events), ...names]
  })
  const row = (how: string, ours: Subject, targets: Row["targets"]): Row => ({
    id: "T13",
    title: `Catch-up over JetStream with the events of ${log.requests.toLocaleString("en-US")} requests: ${how}`,
    unit: "events",
    subjects: [ours, floor],
    targets
  })
  return [row("reader", reader, { [floor.name]: 0.5 }), row("read models", projections, {})]
}

export const rows: ReadonlyArray<Row> = rowsOf({ requests: 100_000, isReused: true })
