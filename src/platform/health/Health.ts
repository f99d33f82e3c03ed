/** Whether this node accepts and runs requests, and why not, as reported by others. For `/health` and its metric. */
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { type Code, reasons } from "./UnhealthyReasons.ts"

/** The time since which a reason applies (`MonotonicTime.millis`); `null` when it does not. */
type Check = (now: number) => number | null

/** A reason that applies now. */
export interface Unwell {
  readonly code: Code
  /** A description for operators. */
  readonly message: string
  /** Unix time in ms. */
  readonly since: number
}

interface Reports {
  /** Runs `check` at each read of the health until the scope closes. It may read memory only and must not throw. */
  readonly watch: (code: Code, check: Check) => Effect.Effect<void, never, Scope.Scope>
  /** The reasons that apply now, oldest first. Reads memory only. */
  readonly reasons: Effect.Effect<ReadonlyArray<Unwell>>
}

const make = (): Reports => {
  const watched = new Set<{ readonly code: Code; readonly check: Check }>()
  return {
    watch: (code, check) => {
      const entry = { code, check }
      return Effect.acquireRelease(
        Effect.sync(() => watched.add(entry)),
        () => Effect.sync(() => watched.delete(entry))
      )
    },
    reasons: Effect.gen(function* () {
      const now = yield* MonotonicTime.millis
      const wallClock = yield* Clock.currentTimeMillis
      const found = new Map<Code, number>()
      for (const { code, check } of watched) {
        const since = check(now)
        if (since !== null) found.set(code, Math.min(since, found.get(code) ?? since))
      }
      return [...found]
        .sort(([, a], [, b]) => a - b)
        .map(([code, since]) => ({
          code,
          message: reasons[code],
          since: Math.round(wallClock - (now - since))
        }))
    })
  }
}

/** Without `layer`, reports are discarded and every node is healthy. */
export const Health = Context.Reference<Reports>("inferlog/src/platform/health/Health", {
  defaultValue: () => ({ watch: () => Effect.void, reasons: Effect.succeed([]) })
})

export const layer = Layer.sync(Health, make)
