/** A time limit that costs nothing where there is nothing to wait for: many runs end as soon as they begin. */
import { type Duration, Effect, Fiber } from "effect"

export interface TimeLimit<A, E, R> {
  readonly duration: Duration.Input
  /** Runs first when the effect has taken too long: it may heed that, and is interrupted after `grace`. */
  readonly onExpiry: Effect.Effect<void, E, R>
  readonly grace: Duration.Input
  /** Takes the place of an effect that took too long, once that has ended or has been interrupted. */
  readonly orElse: Effect.Effect<A, E, R>
  /** Runs first when the effect does not end at once. */
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
