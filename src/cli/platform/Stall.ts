/** Ends what does not go on: a connection that died without a word would be waited for as long as the system does. */
import { Duration, Effect } from "effect"
import { Unreachable } from "./Refusal.ts"

/** What nothing has moved for this long ends, at the latest after twice as long: a large part is hashed and synced before it is answered. */
const longest = Duration.minutes(3)

/** Of an exchange with the URL, which says whenever something has moved. */
export const guarded = <A, E, R>(
  url: string,
  run: (moved: Effect.Effect<void>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | Unreachable, R> =>
  Effect.suspend(() => {
    let hasMoved = true
    const moved = Effect.sync(() => {
      hasMoved = true
    })
    const look = Effect.suspend(() => {
      if (hasMoved) {
        hasMoved = false
        return Effect.void
      }
      const reason = `nothing has moved for ${Duration.toMinutes(longest)} minutes`
      return Effect.fail(new Unreachable({ origin: new URL(url).origin, reason }))
    })
    const watch = Effect.forever(Effect.andThen(look, Effect.sleep(longest)))
    return Effect.raceFirst(run(moved), watch)
  })
