/** T13: reading the events of a request that no node has in memory. */
import type { Row } from "../../harness/Subject.ts"
import * as BrokerSubject from "./BrokerSubject.ts"
import * as PreparedNats from "./PreparedNats.ts"

export const rowOf = (log: PreparedNats.Options): Row => {
  const prepared = PreparedNats.make(log)
  const subject = (name: string, role: "ours" | "floor", entry: URL) =>
    BrokerSubject.make({
      name,
      role,
      entry,
      prepared,
      args: ({ address, requests }) => [address, String(requests)],
      one: "stream"
    })
  return {
    id: "T13",
    title: "Cold request over JetStream, one read at a time",
    unit: "streams",
    subjects: [
      subject("EventReader.read", "ours", new URL("./ReadStream.ts", import.meta.url)),
      subject(
        "ordered consumer of a subject",
        "floor",
        new URL("../../floors/nats/FilteredConsumer.ts", import.meta.url)
      )
    ],
    targets: {}
  }
}

export const row: Row = rowOf({ requests: 100_000, isReused: true })
