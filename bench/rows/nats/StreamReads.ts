/** What the subjects of T13, cold stream, read: requests from all over the log, one after the other, for as long as it is measured. */
import * as Histogram from "../../harness/Histogram.ts"
import type { StreamName } from "#streams/StreamName.ts"
import * as RequestLives from "../log/RequestLives.ts"
import * as Work from "../log/Work.ts"

/** @param requests of the log. */
export const serve = (requests: number, read: (stream: StreamName) => Promise<unknown>): void => {
  let turn = 0
  Work.serve(async (seconds) => {
    const latencies = Histogram.make()
    const piece = await Work.timed(async () => {
      const end = performance.now() + seconds * 1_000
      let reads = 0
      for (let began = performance.now(); began < end; reads++) {
        await read(RequestLives.streamOf((Math.imul(turn++, 0x9e3779b1) >>> 0) % requests))
        const now = performance.now()
        latencies.record(now - began)
        began = now
      }
      return reads
    })
    return { ...piece, latencyMs: { p50: latencies.percentile(0.5), p99: latencies.percentile(0.99) } }
  })
}
