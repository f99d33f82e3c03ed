/** What a measurement cost the processes that it ran in. */
import { Effect, Schedule } from "effect"
import * as ProcessTree from "./ProcessTree.ts"
import type { Measurement } from "./Subject.ts"

/** Work that is left over is waited for this long, ms. */
const settleMs = 30_000
const lookEveryMs = 200
/** CPU time between two looks of processes that are at rest, ms: a tick of the clock, and one for rounding. */
const restMs = 20

/** Until the processes have done what they were left with: read models, logs, garbage. Not for ever. */
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
      Effect.repeat({ until: (resting) => resting, schedule: Schedule.spaced(lookEveryMs) }),
      Effect.timeoutOption(settleMs)
    )
  })

/**
 * What was done is charged with all that it caused: CPU time is read when the processes have settled, or after what is
 * given in place of that, where they never do.
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
