/** The metrics of live outputs. */
import * as Family from "#src/platform/telemetry/metrics/Family.ts"

export const outputChunks = Family.counter(
  "inferlog_output_chunks_total",
  "Chunks of outputs that runs of this process made and that were stored for late readers"
)

export const outputChunksDropped = Family.counter(
  "inferlog_output_chunks_dropped_total",
  "Chunks that could not be stored: readers who come late get these outputs at their end"
)
