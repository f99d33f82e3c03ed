/** The background sweep (contract, "States and transitions"). A request that cannot be checked hardly delays others. */
import { Context, Effect, Layer, Semaphore } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as Sweep from "./Sweep.ts"

export class Sweeper extends Context.Service<
  Sweeper,
  {
    /** Runs a sweep when the current one has ended. Sweeps never overlap. */
    readonly sweep: Effect.Effect<Sweep.Swept, EventStoreError | SqlError>
    /** Continues with the files that a previous process was storing. */
    readonly resume: Effect.Effect<void, EventStoreError | SqlError>
    /** Continues with the files of this node's runs, on a node that does not sweep. */
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
