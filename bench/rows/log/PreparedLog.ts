/** A log of many events, filled once and reused. */
import type { Effect } from "effect"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import type { BenchFailed } from "../../harness/Subject.ts"
import * as Cached from "./Cached.ts"
import * as Child from "./Child.ts"

/** Sources of the events and of their tables. */
const sources = [
  "bench/rows/log/RequestLives.ts",
  "domain/inference-request/Event.ts",
  "streams/EventChain.ts",
  "streams/sqlite/Schema.ts"
]

/** The data directory, which contains only a log and `log.head`. */
export const directoryOf = (requests: number): string => Cached.directoryOf(`log-${requests}`, sources)

export const filename = (directory: string): string => LogFiles.files(directory).log

/** Fills the log unless it exists. Each request has about five events. */
export const fill = (requests: number): Effect.Effect<string, BenchFailed> =>
  Cached.filled(directoryOf(requests), (filling) =>
    Child.run(new URL("./FillLog.ts", import.meta.url), [filling, String(requests)])
  )
