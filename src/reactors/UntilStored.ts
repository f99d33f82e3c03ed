/** For what this node alone can record: whatever refuses it for now, it goes on. */
import { Effect } from "effect"
import type { Rejection } from "#domain/inference-request/Command.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"

/**
 * Tries again each second what the log or the blob store refuses, and logs `what`. An append that seemed to fail may have
 * been stored: then the next try yields no events. Between two tries it can be interrupted.
 */
export const untilStored = <A>(
  what: string,
  effect: Effect.Effect<A, BlobStoreError | EventStoreError | Rejection>
): Effect.Effect<A, Rejection> =>
  Effect.catchCause(effect, (cause) =>
    Effect.failCause(cause).pipe(
      Effect.catchTag(["BlobStoreError", "EventStoreError"], (error) =>
        Effect.logError(what, error).pipe(
          Effect.andThen(Effect.interruptible(Effect.sleep("1 second"))),
          Effect.andThen(Effect.suspend(() => untilStored(what, effect)))
        )
      )
    )
  )
