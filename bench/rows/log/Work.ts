/** The child's side of `Child`: a process that does a piece of work each time it is asked, and says what that took. */
import process from "node:process"
import * as Histogram from "../../harness/Histogram.ts"
import type { Measurement } from "../../harness/Subject.ts"

/** What was done, and how long it took without its preparation. */
export interface Piece {
  readonly operations: number
  /** ms */
  readonly elapsedMs: number
  /** CPU time of the work alone, ms. */
  readonly cpuMs: number
  readonly latencyMs?: NonNullable<Measurement["latencyMs"]>
}

/** Does the work and times it. */
export const timed = async (work: () => number | Promise<number>): Promise<Piece> => {
  const cpu = process.cpuUsage()
  const began = performance.now()
  const operations = await work()
  const elapsedMs = performance.now() - began
  const { user, system } = process.cpuUsage(cpu)
  return { operations, elapsedMs, cpuMs: (user + system) / 1_000 }
}

/** As many operations as can be done in the time, each timed for itself: so many in flight, each followed by the next. */
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

/** Answers each message with the measurement of one piece, until the parent goes. */
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
