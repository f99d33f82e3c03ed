/** The child's side of `Child`: a process that does a piece of work each time it is asked, and says what that took. */
import process from "node:process"
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
