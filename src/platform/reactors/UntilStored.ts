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
 *
 * @param tell decides whether a line is logged; by default this call has one a minute.
 */
export const untilStored = <A, E extends Tagged>(
  what: string,
  effect: Effect.Effect<A, E>,
  tell?: (line: Effect.Effect<void>) => Effect.Effect<void>
): Effect.Effect<A, Exclude<E, StorageError>> => {
  let tries = 0
  const sometimes = (line: Effect.Effect<void>) => (tries++ % triesBetweenLines === 0 ? line : Effect.void)
  return tryOn(what, effect, tell ?? sometimes)
}

const tryOn = <A, E extends Tagged>(
  what: string,
  effect: Effect.Effect<A, E>,
  tell: (line: Effect.Effect<void>) => Effect.Effect<void>
): Effect.Effect<A, Exclude<E, StorageError>> =>
  Effect.catchCause(effect, (cause) =>
    Effect.failCause(cause).pipe(
      Effect.catch((error) =>
        isStorageError(error)
          ? tell(Effect.logError(what, error)).pipe(
              Effect.andThen(Effect.interruptible(Effect.sleep("1 second"))),
              Effect.andThen(Effect.suspend(() => tryOn(what, effect, tell)))
            )
          : Effect.fail(error as Exclude<E, StorageError>)
      )
    )
  )

const isStorageError = (error: Tagged): boolean =>
  error._tag === "BlobStoreError" || error._tag === "EventStoreError"
