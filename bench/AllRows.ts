/** The rows, in the order of docs/benchmarks.md. */
import type { Row } from "./harness/Subject.ts"
import * as T10Transfers from "./rows/files/T10Transfers.ts"
import * as T17Growth from "./rows/growth/T17Growth.ts"
import * as HistoryPages from "./rows/history/HistoryPages.ts"
import * as T12Start from "./rows/log/T12Start.ts"
import * as T5BulkAppend from "./rows/log/T5BulkAppend.ts"
import * as T6Replay from "./rows/log/T6Replay.ts"
import * as T6Verify from "./rows/log/T6Verify.ts"
import * as T9GroupCommit from "./rows/log/T9GroupCommit.ts"
import * as T14ToolCalls from "./rows/mcp/T14ToolCalls.ts"
import * as T14Waiting from "./rows/mcp/T14Waiting.ts"
import * as T13CatchUp from "./rows/nats/T13CatchUp.ts"
import * as T13ColdStream from "./rows/nats/T13ColdStream.ts"
import * as T13Submit from "./rows/nats/T13Submit.ts"
import * as T20LiveOutput from "./rows/output/T20LiveOutput.ts"
import * as T11Streams from "./rows/streams/T11Streams.ts"
import * as T19Soak from "./rows/soak/T19Soak.ts"
import * as T7FanOut from "./rows/streams/T7FanOut.ts"
import * as T11Waiting from "./rows/T11Waiting.ts"
import * as T12Idle from "./rows/T12Idle.ts"
import * as T16SlowDisk from "./rows/T16SlowDisk.ts"
import * as T1Submit from "./rows/T1Submit.ts"
import * as T2EndToEnd from "./rows/T2EndToEnd.ts"
import * as T3Status from "./rows/T3Status.ts"
import * as T4Retrieve from "./rows/T4Retrieve.ts"
import * as T8Webhooks from "./rows/T8Webhooks.ts"

export const rows: ReadonlyArray<Row> = [
  ...T1Submit.rows,
  T2EndToEnd.row,
  ...T3Status.rows,
  T4Retrieve.row,
  T5BulkAppend.row,
  ...T6Replay.rows,
  T6Verify.row,
  ...T7FanOut.rows,
  ...T8Webhooks.rows,
  T9GroupCommit.row,
  ...T10Transfers.rows,
  ...T11Waiting.rows,
  ...T11Streams.rows,
  ...T12Idle.rows,
  ...T12Start.rows,
  ...T13Submit.rows,
  ...T13CatchUp.rows,
  T13ColdStream.row,
  ...T14ToolCalls.rows,
  T14Waiting.row,
  ...HistoryPages.rows,
  T16SlowDisk.row,
  ...T17Growth.rows,
  ...T20LiveOutput.rows
]

/** Rows that run only by name. */
const long: ReadonlyArray<Row> = [T19Soak.row]

/** Rows whose id, or a word of whose title, is `word`, ignoring case. */
export const named = (word: string): ReadonlyArray<Row> => {
  const wanted = word.toLowerCase()
  return [...rows, ...long].filter(
    ({ id, title }) => id.toLowerCase() === wanted || title.toLowerCase().split(/\W+/).includes(wanted)
  )
}
