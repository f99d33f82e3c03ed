/** A test clock whose wall time can be set. Time that passes is test time, as usual. */
import { Clock, Duration, Effect } from "effect"

export interface SettableClock {
  readonly clock: Clock.Clock
  /** Moves the wall clock by this number of ms. */
  readonly set: (by: number) => void
}

/** Starts a day after the epoch, so that it can be set back. */
export const make = Effect.map(
  Clock.clockWith((clock) => Effect.succeed(clock)),
  (clock): SettableClock => {
    let offset = Duration.toMillis("24 hours")
    const now = () => clock.currentTimeMillisUnsafe() + offset
    return {
      clock: { ...clock, currentTimeMillisUnsafe: now, currentTimeMillis: Effect.sync(now) },
      set: (by) => void (offset += by)
    }
  }
)
