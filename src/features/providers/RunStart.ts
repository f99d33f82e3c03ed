/**
 * The start of a run whose provider says nothing before it answers: the run starts when the call is sent over an open
 * connection. It is reported a moment later, because many providers refuse at once, and a run that ends at once needs
 * no event.
 */
import { Deferred, Effect, type Scope } from "effect"
import type { RunControl } from "./Provider.ts"

export interface RunStart {
  /** Reports the start, once. */
  readonly tell: Effect.Effect<void>
  /** For `Call.onSent`. */
  readonly onSent: () => void
  /** Reports the start if the call was sent and not refused within the delay; not after the scope closes. */
  readonly unlessRefused: Effect.Effect<void, never, Scope.Scope>
}

export const make = ({ startWithinMs, started }: Pick<RunControl, "started" | "startWithinMs">): RunStart => {
  const sent = Deferred.makeUnsafe<void>()
  let isTold = false
  const tell = Effect.suspend(() => {
    if (isTold) return Effect.void
    isTold = true
    return started
  })
  const waited = Effect.andThen(Deferred.await(sent), Effect.flatMap(startWithinMs, Effect.sleep))
  return {
    tell,
    onSent: () => Deferred.doneUnsafe(sent, Effect.void),
    unlessRefused: Effect.asVoid(Effect.forkScoped(Effect.andThen(waited, tell)))
  }
}
