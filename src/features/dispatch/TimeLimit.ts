/** A time limit without cost for an effect that ends at once, as many runs do, and with one fiber for one that does not. */
import { Effect, Fiber } from "effect"
import type { Deadlines } from "#src/kernel/time/Deadlines.ts"

export interface TimeLimit<A, E, R> {
  readonly ms: number
  /** Called at the limit. The effect may react to it, and is interrupted `graceMs` later. */
  readonly onExpiry: () => void
  readonly graceMs: number
  /** Replaces the result of an effect past the limit, when it has ended or was interrupted. */
  readonly orElse: Effect.Effect<A, E, R>
  /** Runs if the effect does not end at once. */
  readonly onPending: Effect.Effect<void, E, R>
}

export const apply = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  deadlines: Deadlines,
  { graceMs, ms, onExpiry, onPending, orElse }: TimeLimit<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkChild(effect, { startImmediately: true }), (fiber) => {
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return exit
    const ended = Effect.callback<A, E, R>((resume) => {
      let isLate = false
      let cancel = deadlines.after(ms, () => {
        isLate = true
        cancel = deadlines.after(graceMs, () => fiber.interruptUnsafe())
        onExpiry()
      })
      const ignore = fiber.addObserver((exit) => {
        cancel()
        resume(isLate ? orElse : exit)
      })
      return Effect.sync(() => {
        ignore()
        cancel()
      })
    })
    return Effect.onInterrupt(Effect.andThen(onPending, ended), () => Fiber.interrupt(fiber))
  })
