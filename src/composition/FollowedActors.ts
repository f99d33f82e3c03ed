/** The actors of one of several nodes. They follow the log, and see changes of other nodes within the lag of the subscription. */
import { Effect, Layer } from "effect"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { ConsoleSessionActors } from "#src/features/accounts/sessions/ConsoleSessionActors.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { OperatorActors, OperatorIdentityActors } from "#src/features/operators/OperatorActors.ts"
import { WorkerKeyActors } from "#src/features/providers/workers/WorkerKeyActors.ts"
import { EventReader } from "#streams/EventReader.ts"
import { IdempotencyKeyActors } from "#src/features/requests/IdempotencyKeyActors.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"

const following = Layer.effectDiscard(
  Effect.gen(function* () {
    const reader = yield* EventReader
    const followers = [
      yield* FileActors,
      yield* RequestActors,
      yield* AccountActors,
      yield* IdempotencyKeyActors,
      yield* WorkerKeyActors,
      yield* OperatorActors,
      yield* OperatorIdentityActors,
      yield* ConsoleSessionActors
    ]
    let position = yield* reader.head
    const follow = Effect.suspend(() =>
      reader.follow(position, (events) => {
        for (const actors of followers) actors.observe(events)
        position = events.at(-1)?.position ?? position
      })
    )
    yield* Effect.forkScoped(supervise("Following the log for events of other nodes", follow))
  })
)

/** Begins to follow before any actor is loaded, so that no actor misses an event. */
export const layer = following.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      RequestActors.layerObserving,
      AccountActors.layerObserving,
      IdempotencyKeyActors.layer,
      FileActors.layer,
      WorkerKeyActors.layer,
      OperatorActors.layer,
      OperatorIdentityActors.layer,
      ConsoleSessionActors.layer
    )
  )
)
