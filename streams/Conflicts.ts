/** Delays between the retries of a command whose append met another version than expected, and their limit. */
import { Effect, Random } from "effect"
import { EventStoreError } from "./EventReader.ts"

/** The most conflicts in a row of one command. */
export const maxInARow = 24

/** The first retries happen at once, because each conflict means that another writer made progress. */
const immediateRetries = 8

/** Bounds of the delay, ms. It doubles with each conflict. */
const minDelayMs = 4
const maxDelayMs = 250

/** Waits before the stream is read again. Half of the delay is random, so that two writers do not meet again. */
export const wait = (conflicts: number): Effect.Effect<void, EventStoreError> => {
  if (conflicts >= maxInARow) {
    return Effect.fail(
      new EventStoreError({
        reason: `Other writers have appended to the stream first, ${maxInARow} times in a row`,
        isAbsent: true
      })
    )
  }
  if (conflicts <= immediateRetries) return Effect.void
  const bound = Math.min(minDelayMs * 2 ** (conflicts - immediateRetries - 1), maxDelayMs)
  return Effect.flatMap(Random.next, (part) => Effect.sleep((bound * (1 + part)) / 2))
}
