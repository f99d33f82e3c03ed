/**
 * The actors of one of several nodes. They follow the log, so that a revoked key, a cancel, the progress of a run or a deleted
 * file is seen here within the lag of the subscription.
 */
import { Effect, Layer, Stream } from "effect"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { WorkerKeyActors } from "#src/features/providers/workers/WorkerKeyActors.ts"
import { EventReader } from "#streams/EventReader.ts"
import { IdempotencyKeyActors } from "#src/features/requests/IdempotencyKeyActors.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"

const following = Layer.effectDiscard(
  Effect.gen(function* () {
    const reader = yield* EventReader
    const requests = yield* RequestActors
    const accounts = yield* AccountActors
    const keys = yield* IdempotencyKeyActors
    const files = yield* FileActors
    const workerKeys = yield* WorkerKeyActors
    let position = yield* reader.head
    const follow = Stream.suspend(() => reader.subscribe(position)).pipe(
      Stream.runForEachArray((events) =>
        Effect.sync(() => {
          files.observe(events)
          requests.observe(events)
          accounts.observe(events)
          keys.observe(events)
          workerKeys.observe(events)
          position = events[events.length - 1]?.position ?? position
        })
      )
    )
    yield* Effect.forkScoped(supervise("Following the log for what other nodes append", follow))
  })
)

/** The actors follow from a position before which none of them was loaded. */
export const layer = following.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      RequestActors.layerObserving,
      AccountActors.layerObserving,
      IdempotencyKeyActors.layer,
      FileActors.layer,
      WorkerKeyActors.layer
    )
  )
)
