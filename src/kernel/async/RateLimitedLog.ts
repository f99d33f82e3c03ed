/** For what may go wrong again and again, as while the log is away: it is told of once a minute, with how often. */
import { Effect } from "effect"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"

const intervalMs = 60_000

/** Logs the line that it is given, unless it has logged one lately; `times` says how many lines that one stands for. */
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
