/** The clock of a test whose wall time can be set; time that passes is the test's, as ever. */
import { Clock, Duration, Effect } from "effect"

export interface SettableClock {
  readonly clock: Clock.Clock
  /** Sets the wall clock, by so many ms. */
  readonly set: (by: number) => void
}

/** The wall clock begins a day after the epoch, so that it can be set back. */
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
