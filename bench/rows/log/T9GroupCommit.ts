/** T9: the benefit of group commit. Both subjects make the same appends, durable when acknowledged. */
import type { Row } from "../../harness/Subject.ts"
import * as Child from "./Child.ts"

const oneByOne = "an fsync to each append"

export const row: Row = {
  id: "T9",
  title: "Group commit: 32 appenders at once, payloads included",
  unit: "appends",
  subjects: [
    Child.subject({
      name: "EventStore.append",
      role: "ours",
      entry: new URL("./GroupCommit.ts", import.meta.url)
    }),
    Child.subject({
      name: oneByOne,
      role: "floor",
      entry: new URL("../../floors/log/SingleCommits.ts", import.meta.url)
    })
  ],
  targets: { [oneByOne]: 4 }
}
