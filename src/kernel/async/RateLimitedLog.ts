/** Logs a repeating failure, such as an unreachable log, at most once a minute. */
import { Effect } from "effect"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"

const intervalMs = 60_000

/** Logs the line unless one was logged within the last minute. `times` is the number of lines that it stands for. */
export const make = (): ((line: Effect.Effect<void>) => Effect.Effect<void>) => {
  let toldAt = -Infinity
  let untold = 0
  return (line) =>
    Effect.flatMap(MonotonicTime.millis, (now) => {
      untold++
      if (now - toldAt < intervalMs) return Effect.void
      const times = untold
      toldAt = now
      untold = 0
      return Effect.annotateLogs(line, { times })
    })
}
