/** Retries a write that only this node can make until the log and the blob store accept it. */
import { Effect } from "effect"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"

/** Tries between two log lines, about a minute. A thousand runs may be retrying at the same time. */
const triesBetweenLines = 60

type StorageError = BlobStoreError | EventStoreError

interface Tagged {
  readonly _tag: string
}

/**
 * Retries every second while the log or the blob store fails, and logs `what`. An append that seemed to fail may have been
 * stored; the next try then yields no events. The wait between two tries can be interrupted.
 *
 * @param tell decides whether a line is logged; by default each call logs one line a minute.
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
