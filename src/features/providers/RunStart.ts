/**
 * When a run has begun whose provider says nothing before it answers: it is handed over when the call is on its way over an
 * open connection. That is told a moment later, for many refuse at once, and a run that ends at once needs no event for it.
 */
import { Deferred, Effect, type Scope } from "effect"
import type { RunControl } from "./Provider.ts"

export interface RunStart {
  /** Tells that the run has begun, unless that was told. */
  readonly tell: Effect.Effect<void>
  /** For `Call.onSent`. */
  readonly onSent: () => void
  /** Tells it once the call is sent and was not refused for as long as may be waited; not after the scope. */
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
