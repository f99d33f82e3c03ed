/** T6: `verify` of a log of a million events with payloads, compared with the necessary reading and hashing. */
import type { Row } from "../../harness/Subject.ts"
import * as Child from "./Child.ts"
import * as PreparedLog from "./PreparedLog.ts"

const requests = 200_000
const prepare = PreparedLog.fill(requests)
const directory = PreparedLog.directoryOf(requests)

const floor = Child.subject({
  name: "scan + hash",
  role: "floor",
  entry: new URL("../../floors/log/ScanAndHash.ts", import.meta.url),
  args: [PreparedLog.filename(directory)],
  prepare
})

export const row: Row = {
  id: "T6",
  title: "Verify 1 M events: chain, digest, payloads",
  unit: "events",
  subjects: [
    Child.subject({
      name: "verify",
      role: "ours",
      entry: new URL("./Verify.ts", import.meta.url),
      args: [directory],
      prepare
    }),
    floor
  ],
  targets: { [floor.name]: 0.8 }
}
