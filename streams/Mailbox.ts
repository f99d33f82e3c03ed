/** Runs one command at a time in the order of arrival. A running command is not interrupted. */
import { Effect, Exit } from "effect"

export interface Mailbox {
  /** Takes the turn for a command that is not run by `run`, if no other has it. `leave` ends the turn. */
  readonly enter: () => boolean
  readonly leave: () => void
  /** Calls `command` in its turn and runs the result. A waiting command can be interrupted and is then not called. */
  readonly run: <A, E>(command: () => Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** A semaphore with one permit would work too, at twice the cost when nothing waits. */
export const make = (): Mailbox => {
  let isBusy = false
  const waiting = new Set<() => void>()

  /** Hands over to the next command directly, so that a new one cannot overtake it. */
  const pass = () => {
    const [next] = waiting
    if (next === undefined) {
      isBusy = false
      return
    }
    waiting.delete(next)
    // Asynchronously, because a long queue of short commands would become a deep stack.
    queueMicrotask(next)
  }

  const passOn = () => {
    pass()
    return undefined
  }

  const inTurn = <A, E>(command: () => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.onExitPrimitive(Effect.suspend(command), passOn)

  const waitThenRun = <A, E>(command: () => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.uninterruptibleMask((restore) => {
      let wake = () => {}
      const next = () => wake()
      const ownTurn = Effect.callback<void>((resume) => {
        wake = () => resume(Effect.void)
        waiting.add(next)
      })
      return Effect.onExitPrimitive(restore(ownTurn), (exit) => {
        // Interrupted after its turn had come, so the next one gets it.
        if (Exit.isFailure(exit) && !waiting.delete(next)) pass()
        return undefined
      }).pipe(Effect.andThen(inTurn(command)))
    })

  const enter = () => {
    if (isBusy) return false
    isBusy = true
    return true
  }

  return {
    enter,
    leave: pass,
    run: (command) =>
      Effect.suspend(() => (enter() ? Effect.uninterruptible(inTurn(command)) : waitThenRun(command)))
  }
}
