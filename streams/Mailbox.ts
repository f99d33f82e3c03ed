/** Runs one command at a time in the order of arrival. A running command is not interrupted. */
import { Effect, Exit } from "effect"

/** A semaphore with one permit would work too, at twice the cost when nothing waits. There is one for each live actor. */
export class Mailbox {
  #isBusy = false
  #waiting: Set<() => void> | undefined

  /** Takes the turn for a command that is not run by `run`, if no other has it. `leave` ends the turn. */
  enter(): boolean {
    if (this.#isBusy) return false
    this.#isBusy = true
    return true
  }

  /** Hands over to the next command directly, so that a new one cannot overtake it. */
  leave(): void {
    const waiting = this.#waiting
    const [next] = waiting ?? []
    if (waiting === undefined || next === undefined) {
      this.#isBusy = false
      return
    }
    waiting.delete(next)
    // Asynchronously, because a long queue of short commands would become a deep stack.
    queueMicrotask(next)
  }

  /** Calls `command` in its turn and runs the result. A waiting command can be interrupted and is then not called. */
  run<A, E>(command: () => Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() =>
      this.enter() ? Effect.uninterruptible(this.#inTurn(command)) : this.#waitThenRun(command)
    )
  }

  #inTurn<A, E>(command: () => Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.onExitPrimitive(Effect.suspend(command), () => {
      this.leave()
      return undefined
    })
  }

  #waitThenRun<A, E>(command: () => Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.uninterruptibleMask((restore) => {
      const waiting = (this.#waiting ??= new Set())
      let wake = () => {}
      const next = () => wake()
      const ownTurn = Effect.callback<void>((resume) => {
        wake = () => resume(Effect.void)
        waiting.add(next)
      })
      return Effect.onExitPrimitive(restore(ownTurn), (exit) => {
        // Interrupted after its turn had come, so the next one gets it.
        if (Exit.isFailure(exit) && !waiting.delete(next)) this.leave()
        return undefined
      }).pipe(Effect.andThen(this.#inTurn(command)))
    })
  }
}

export const make = (): Mailbox => new Mailbox()
