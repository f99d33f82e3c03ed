/**
 * The background sweep (contract, "States and transitions"): it looks for requests that do not come to their end by
 * themselves. One request that cannot be read, or whose provider does not answer, keeps no other waiting for long.
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as Sweep from "./Sweep.ts"

export class Sweeper extends Context.Service<
  Sweeper,
  {
    /** A sweep, once the one that is under way has ended: two never overlap. */
    readonly sweep: Effect.Effect<Sweep.Swept, EventStoreError | SqlError>
    /** Goes on with the files that a former process was storing. */
    readonly resume: Effect.Effect<void, EventStoreError | SqlError>
    /** Goes on with the files of this node's own runs: all that is left to a node that does not sweep. */
    readonly resumeOwn: Effect.Effect<void, EventStoreError | SqlError>
  }
>()("inferlog/src/features/dispatch/sweep/Sweeper") {
  static readonly layer = Layer.effect(
    Sweeper,
    Effect.gen(function* () {
      const { all, finalizing, ownFinalizing } = yield* Sweep.make
      const turn = yield* Semaphore.make(1)
      return Sweeper.of({
        sweep: turn.withPermit(all),
        resume: turn.withPermit(finalizing),
        resumeOwn: turn.withPermit(ownFinalizing)
      })
    })
  )
}
