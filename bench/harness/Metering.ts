/** Measures the CPU time and memory of a measurement's processes. */
import { Effect, Schedule } from "effect"
import * as ProcessTree from "./ProcessTree.ts"
import type { Measurement } from "./Subject.ts"

/** Time limit for processes to finish leftover work, ms. */
const settleMs = 30_000
const sampleMs = 200
/** CPU time between two samples of an idle process, ms: one clock tick, and one for rounding. */
const restMs = 20

/** Waits, up to a limit, until the processes have finished leftover work: read models, logs, garbage. */
export const settle = (pids: ReadonlyArray<number>) =>
  Effect.suspend(() => {
    let last = Number.NEGATIVE_INFINITY
    const isResting = Effect.sync(() => {
      const now = ProcessTree.cpuMs(pids)
      const took = now - last
      last = now
      return took <= restMs
    })
    return isResting.pipe(
      Effect.repeat({ until: (resting) => resting, schedule: Schedule.spaced(sampleMs) }),
      Effect.timeoutOption(settleMs)
    )
  })

/**
 * Counts all CPU time that the work causes: it is read after the processes have settled. Pass `settled` for processes that
 * never do.
 */
export const meter = Effect.fnUntraced(function* <E, R>(
  pids: ReadonlyArray<number>,
  work: Effect.Effect<Omit<Measurement, "cpuMs" | "peakRssBytes">, E, R>,
  settled: Effect.Effect<unknown> = settle(pids)
) {
  const before = ProcessTree.cpuMs(pids)
  const done = yield* work
  yield* settled
  const measurement: Measurement = {
    ...done,
    cpuMs: ProcessTree.cpuMs(pids) - before,
    peakRssBytes: ProcessTree.peakRssBytes(pids)
  }
  return measurement
})
