/** When a run has begun whose provider says nothing before it answers. */
import { Effect, type Scope } from "effect"

/** A call that was not refused by then is at work, although nothing of its answer has come, ms. */
const refusalMs = 1_000

export interface Begun {
  /** Tells that the run has begun, unless that was told. */
  readonly tell: Effect.Effect<void>
  /** Tells it once the call has been open for so long that it is no refusal; not after the scope. */
  readonly unlessRefused: Effect.Effect<void, never, Scope.Scope>
}

export const make = (started: Effect.Effect<void>): Begun => {
  let isTold = false
  const tell = Effect.suspend(() => {
    if (isTold) return Effect.void
    isTold = true
    return started
  })
  return { tell, unlessRefused: Effect.asVoid(Effect.forkScoped(Effect.delay(tell, refusalMs))) }
}
