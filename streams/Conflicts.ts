/** How a command goes on whose append met another version than it was decided on: again, less and less often, and not for ever. */
import { Effect, Random } from "effect"
import { EventStoreError } from "./EventReader.ts"

/** In a row, of one command. */
export const maxInARow = 24

/** The first follow at once: each of them means that somebody else got on. */
const atOnce = 8

/** ms, doubled with each conflict. */
const shortest = 4
const longest = 250

/** Before the stream is read again. Half of the wait is chance, so that two writers do not meet again. */
export const wait = (conflicts: number): Effect.Effect<void, EventStoreError> => {
  if (conflicts >= maxInARow) {
    return Effect.fail(
      new EventStoreError({
        reason: `Others have written to the stream first, ${maxInARow} times in a row`,
        isAbsent: true
      })
    )
  }
  if (conflicts <= atOnce) return Effect.void
  const bound = Math.min(shortest * 2 ** (conflicts - atOnce - 1), longest)
  return Effect.flatMap(Random.next, (part) => Effect.sleep((bound * (1 + part)) / 2))
}
