/** Ends stalled transfers: without this, a dead connection would last until the operating system gives up. */
import { Duration, Effect } from "effect"
import { Unreachable } from "./Refusal.ts"

/** Longest time without progress; a stall ends after at most twice as long. Large, because the server hashes and syncs a part before it responds. */
const longest = Duration.minutes(3)

/** Watches an exchange with the URL. The exchange reports progress. */
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
      const reason = `no progress for ${Duration.toMinutes(longest)} minutes`
      return Effect.fail(new Unreachable({ origin: new URL(url).origin, reason }))
    })
    const watch = Effect.forever(Effect.andThen(look, Effect.sleep(longest)))
    return Effect.raceFirst(run(moved), watch)
  })
