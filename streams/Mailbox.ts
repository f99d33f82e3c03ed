/** One command at a time, in the order in which they came; a command that has begun is not interrupted. */
import { Effect, Exit } from "effect"

export interface Mailbox {
  /** Runs `command` when it is its turn. One that waits for its turn can be interrupted, and is then not run. */
  readonly run: <A, E>(command: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** A semaphore of one permit would do as well, at twice the cost where nobody waits. */
export const make = (): Mailbox => {
  let isBusy = false
  const waiting = new Set<() => void>()

  /** From one to the next, without a moment in which a newcomer could come in between. */
  const pass = () => {
    const [next] = waiting
    if (next === undefined) {
      isBusy = false
      return
    }
    waiting.delete(next)
    // Not from here: a long queue of short commands would become a deep stack.
    queueMicrotask(next)
  }

  const inTurn = <A, E>(command: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.onExitPrimitive(command, () => {
      pass()
      return undefined
    })

  const waitThenRun = <A, E>(command: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.uninterruptibleMask((restore) => {
      let wake = () => {}
      const next = () => wake()
      const turn = Effect.callback<void>((resume) => {
        wake = () => resume(Effect.void)
        waiting.add(next)
      })
      return Effect.onExitPrimitive(restore(turn), (exit) => {
        // Interrupted after it was its turn: that goes to the one behind it.
        if (Exit.isFailure(exit) && !waiting.delete(next)) pass()
        return undefined
      }).pipe(Effect.andThen(inTurn(command)))
    })

  return {
    run: (command) =>
      Effect.suspend(() => {
        if (isBusy) return waitThenRun(command)
        isBusy = true
        return Effect.uninterruptible(inTurn(command))
      })
  }
}
