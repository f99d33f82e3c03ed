/** The child's side of `Child`: does one piece of work per message and answers with its measurement. */
import process from "node:process"
import * as Histogram from "../../harness/Histogram.ts"
import type { Measurement } from "../../harness/Subject.ts"

/** The number of operations and their duration, without the preparation. */
export interface Piece {
  readonly operations: number
  /** ms */
  readonly elapsedMs: number
  /** CPU time of the work alone, ms. */
  readonly cpuMs: number
  readonly latencyMs?: NonNullable<Measurement["latencyMs"]>
}

/** Runs the work and measures its time. */
export const timed = async (work: () => number | Promise<number>): Promise<Piece> => {
  const cpu = process.cpuUsage()
  const began = performance.now()
  const operations = await work()
  const elapsedMs = performance.now() - began
  const { user, system } = process.cpuUsage(cpu)
  return { operations, elapsedMs, cpuMs: (user + system) / 1_000 }
}

/** Runs operations for a time with a fixed number in flight, and measures the latency of each. */
export const repeated = async (
  { inFlight, seconds }: { readonly inFlight: number; readonly seconds: number },
  operation: () => Promise<unknown>
): Promise<Piece> => {
  const latencies = Histogram.make()
  let operations = 0
  const piece = await timed(async () => {
    const end = performance.now() + seconds * 1_000
    const one = async () => {
      for (let began = performance.now(); began < end; operations++) {
        await operation()
        const now = performance.now()
        latencies.record(now - began)
        began = now
      }
    }
    await Promise.all(Array.from({ length: inFlight }, one))
    return operations
  })
  return { ...piece, latencyMs: { p50: latencies.percentile(0.5), p99: latencies.percentile(0.99) } }
}

/** Answers each message with the measurement of one piece of work, until the parent disconnects. */
export const serve = (piece: (seconds: number) => Promise<Piece>): void => {
  const answer = async (seconds: number) => {
    const measured: Measurement = {
      ...(await piece(seconds)),
      peakRssBytes: process.resourceUsage().maxRSS * 1_024
    }
    process.send?.(measured)
  }
  process.on("message", (seconds) => void answer(Number(seconds)))
  process.on("disconnect", () => process.exit())
  process.send?.("ready")
}
