/** Announces deadlines to their reactor, which does not poll for them. */
import { Context, Effect, Layer, Queue } from "effect"

export class DeadlineHints extends Context.Service<
  DeadlineHints,
  {
    /** Announces a deadline at `at`, Unix time in ms. Only the earliest of several hints is stored. */
    readonly hint: (at: number) => void
    /** The earliest deadline since the last `take`; `null` without a hint. */
    readonly take: () => number | null
    /** Completes when there was a hint since it last completed. */
    readonly hinted: Effect.Effect<void>
  }
>()("inferlog/src/features/requests/DeadlineHints") {
  static readonly layer = Layer.effect(
    DeadlineHints,
    Effect.gen(function* () {
      const wakeUps = yield* Queue.sliding<void>(1)
      let earliest: number | null = null
      return DeadlineHints.of({
        hint: (at) => {
          // A later one is found when the earlier one has passed.
          if (earliest !== null && earliest <= at) return
          earliest = at
          Queue.offerUnsafe(wakeUps, undefined)
        },
        take: () => {
          const taken = earliest
          earliest = null
          return taken
        },
        hinted: Queue.take(wakeUps)
      })
    })
  )
}
