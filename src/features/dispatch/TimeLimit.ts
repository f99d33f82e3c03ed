/** A time limit without cost for an effect that ends at once, as many runs do. */
import { type Duration, Effect, Fiber } from "effect"

export interface TimeLimit<A, E, R> {
  readonly duration: Duration.Input
  /** Runs at the limit. The effect may react to it, and is interrupted after `grace`. */
  readonly onExpiry: Effect.Effect<void, E, R>
  readonly grace: Duration.Input
  /** Replaces the result of an effect past the limit, when it has ended or was interrupted. */
  readonly orElse: Effect.Effect<A, E, R>
  /** Runs if the effect does not end at once. */
  readonly onPending: Effect.Effect<void, E, R>
}

export const apply = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { duration, grace, onExpiry, onPending, orElse }: TimeLimit<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkChild(effect, { startImmediately: true }), (fiber) => {
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return exit
    return onPending.pipe(
      Effect.andThen(
        Effect.timeoutOrElse(Fiber.join(fiber), {
          duration,
          orElse: () =>
            onExpiry.pipe(
              Effect.andThen(Effect.timeoutOption(Fiber.await(fiber), grace)),
              Effect.andThen(Fiber.interrupt(fiber)),
              Effect.andThen(orElse)
            )
        })
      ),
      Effect.onInterrupt(() => Fiber.interrupt(fiber))
    )
  })
