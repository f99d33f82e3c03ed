/** T5: bulk append. The log's cost beyond its rows: expected versions, canonical JSON, the running digest, followers. */
import type { Row } from "../../harness/Subject.ts"
import * as Child from "./Child.ts"

export const row: Row = {
  id: "T5",
  title: "Bulk append: batches of 1,000 events, hash chain, unique (stream, version)",
  unit: "events",
  subjects: [
    Child.subject({
      name: "EventStore.append",
      role: "ours",
      entry: new URL("./BulkAppend.ts", import.meta.url)
    }),
    Child.subject({
      name: "node:sqlite",
      role: "floor",
      entry: new URL("../../floors/log/BulkAppend.ts", import.meta.url)
    })
  ],
  targets: { "node:sqlite": 0.65 }
}
