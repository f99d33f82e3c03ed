/** For what this node alone can record: whatever refuses it for now, it goes on. */
import { Effect } from "effect"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"

/** What is refused for long is told of again after so many tries, about a minute: it may be refused to a thousand runs. */
const triesBetweenLines = 60

type StorageError = BlobStoreError | EventStoreError

interface Tagged {
  readonly _tag: string
}

/**
 * Tries again each second what the log or the blob store refuses, and logs `what`. An append that seemed to fail may have
 * been stored: then the next try yields no events. Between two tries it can be interrupted.
 */
export const untilStored = <A, E extends Tagged>(
  what: string,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, Exclude<E, StorageError>> => tryOn(what, effect, 0)

const tryOn = <A, E extends Tagged>(
  what: string,
  effect: Effect.Effect<A, E>,
  tries: number
): Effect.Effect<A, Exclude<E, StorageError>> =>
  Effect.catchCause(effect, (cause) =>
    Effect.failCause(cause).pipe(
      Effect.catch((error) =>
        isStorageError(error)
          ? (tries % triesBetweenLines === 0 ? Effect.logError(what, error) : Effect.void).pipe(
              Effect.andThen(Effect.interruptible(Effect.sleep("1 second"))),
              Effect.andThen(Effect.suspend(() => tryOn(what, effect, tries + 1)))
            )
          : Effect.fail(error as Exclude<E, StorageError>)
      )
    )
  )

const isStorageError = (error: Tagged): boolean =>
  error._tag === "BlobStoreError" || error._tag === "EventStoreError"
