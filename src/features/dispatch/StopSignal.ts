/** The request to stop a run. Most runs end without one, so waiting for it takes no fiber. */
import type { Effect } from "effect"
import * as Later from "#src/kernel/async/Later.ts"
import type { Deadlines } from "#src/kernel/time/Deadlines.ts"

export class StopSignal {
  #isSent = false
  /** `null` while nothing waits. */
  #waiting: Set<() => void> | null = null

  #add(run: () => void): void {
    this.#waiting ??= new Set()
    this.#waiting.add(run)
  }

  send(): void {
    this.#isSent = true
    const waiting = this.#waiting
    this.#waiting = null
    for (const run of waiting ?? []) run()
  }

  /** Completes when it is sent. */
  get sent(): Effect.Effect<void> {
    return Later.make((onSent) => {
      const sent = () => onSent(undefined)
      if (this.#isSent) sent()
      else this.#add(sent)
      return () => this.#waiting?.delete(sent)
    })
  }

  /** Whether it is sent within `ms`. */
  isSentWithin(deadlines: Deadlines, ms: number): Effect.Effect<boolean> {
    return Later.make((onEnd) => {
      if (this.#isSent) {
        onEnd(true)
        return () => undefined
      }
      const end = (isSent: boolean) => {
        cancel()
        onEnd(isSent)
      }
      const sent = () => end(true)
      const cancelDeadline = deadlines.after(ms, () => end(false))
      const cancel = () => {
        cancelDeadline()
        this.#waiting?.delete(sent)
      }
      this.#add(sent)
      return cancel
    })
  }
}
