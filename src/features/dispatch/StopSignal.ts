/** The request to stop a run. Most runs end without one, so waiting for it takes no fiber. */
import { Effect, Exit } from "effect"
import type { Deadlines } from "#src/kernel/time/Deadlines.ts"

export class StopSignal {
  #isSent = false
  readonly #waiting = new Set<() => void>()

  send(): void {
    this.#isSent = true
    for (const run of this.#waiting) run()
    this.#waiting.clear()
  }

  /** Completes when it is sent. */
  readonly sent: Effect.Effect<void> = Effect.callback<void>((resume) => {
    const run = () => resume(Exit.void)
    if (this.#isSent) return run()
    this.#waiting.add(run)
    return Effect.sync(() => this.#waiting.delete(run))
  })

  /** Whether it is sent within `ms`. */
  readonly isSentWithin = (deadlines: Deadlines, ms: number): Effect.Effect<boolean> =>
    Effect.callback<boolean>((resume) => {
      if (this.#isSent) return resume(Exit.succeed(true))
      const sent = () => {
        cancel()
        resume(Exit.succeed(true))
      }
      const cancel = deadlines.after(ms, () => {
        this.#waiting.delete(sent)
        resume(Exit.succeed(false))
      })
      this.#waiting.add(sent)
      return Effect.sync(() => {
        cancel()
        this.#waiting.delete(sent)
      })
    })
}
