/** Limits log lines per kind and second: a flood neither overloads the server nor hides others. Reports the dropped. */
import { Context, Effect, Layer, Metric, Schedule } from "effect"
import * as Families from "#src/platform/telemetry/metrics/Families.ts"

/** Lines per second of a kind without a limit of its own. */
const usualPerSecond = 10

/** Seconds between two reports of dropped lines. */
const accountInterval = 10

interface Kind {
  used: number
  suppressed: number
}

export class LogRateLimit extends Context.Service<
  LogRateLimit,
  {
    /**
     * Whether one more line of the kind may be logged now. Never waits or throws. Use few kinds: each stays in
     * memory.
     *
     * @param perSecond the limit of this kind, 10 by default.
     */
    admits(kind: string, perSecond?: number): boolean
    /** Counts a line that was dropped for another reason. */
    leaveOut(kind: string): void
  }
>()("inferlog/src/platform/telemetry/logs/LogRateLimit") {
  static readonly layer = Layer.effect(
    LogRateLimit,
    Effect.gen(function* () {
      const context = Context.make(Metric.MetricRegistry, yield* Metric.MetricRegistry)
      const kinds = new Map<string, Kind>()
      let seconds = 0

      const account = Effect.gen(function* () {
        for (const [kind, state] of kinds) {
          const { suppressed } = state
          if (suppressed === 0) continue
          state.suppressed = 0
          yield* Effect.annotateLogs(Effect.logInfo("Log lines were dropped"), { kind, count: suppressed })
        }
      })

      const tick = Effect.suspend(() => {
        for (const state of kinds.values()) state.used = 0
        seconds++
        return seconds % accountInterval === 0 ? account : Effect.void
      })

      yield* Effect.forkScoped(Effect.repeat(tick, Schedule.spaced("1 second")))
      yield* Effect.addFinalizer(() => account)

      const find = (kind: string): Kind => {
        let state = kinds.get(kind)
        if (state === undefined) {
          state = { used: 0, suppressed: 0 }
          kinds.set(kind, state)
        }
        return state
      }

      const leaveOut = (kind: string): void => {
        find(kind).suppressed++
        Families.logLinesSuppressed.of(kind).updateUnsafe(1, context)
      }

      const admits = (kind: string, perSecond = usualPerSecond): boolean => {
        const state = find(kind)
        if (state.used < perSecond) {
          state.used++
          return true
        }
        leaveOut(kind)
        return false
      }

      return LogRateLimit.of({ admits, leaveOut })
    })
  )
}
