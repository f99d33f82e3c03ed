/** Wakes waiters when a request changes, on any node. One follower of the log serves all of them. */
import { Context, Effect, Layer, Queue, type Scope } from "effect"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { RequestId } from "#domain/Ids.ts"
import { EventReader } from "#streams/EventReader.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { RequestActors } from "./RequestActors.ts"

export class RequestChanges extends Context.Service<
  RequestChanges,
  {
    /** Completes at the next change since the watch began or it last completed. Read the state before each wait. */
    watch(id: RequestId): Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  }
>()("inferlog/src/features/requests/RequestChanges") {
  static readonly layer = Layer.effect(
    RequestChanges,
    Effect.gen(function* () {
      const reader = yield* EventReader
      const actors = yield* RequestActors
      const watchers = new Map<string, Set<Queue.Queue<void>>>()
      let position = yield* reader.head

      const watchedIds = (events: ReadonlyArray<RecordedEvent>): ReadonlySet<string> => {
        const ids = new Set<string>()
        if (watchers.size === 0) return ids
        for (const { stream } of events) {
          const id = StreamName.idOf(stream)
          if (watchers.has(id) && StreamName.categoryOf(stream) === InferenceRequest.aggregate.category)
            ids.add(id)
        }
        return ids
      }

      const tell = (id: string) => {
        for (const queue of watchers.get(id) ?? []) Queue.offerUnsafe(queue, undefined)
      }

      const follow = Effect.suspend(() =>
        reader.follow(position, (events) => {
          const ids = watchedIds(events)
          // Woken waiters ask the actors, where these follow the log themselves.
          if (ids.size > 0) actors.observe(events)
          ids.forEach(tell)
          position = events.at(-1)?.position ?? position
        })
      )
      yield* Effect.forkScoped(supervise("Following the log for changed requests", follow))

      const unwatch = (id: string, queue: Queue.Queue<void>) => {
        const queues = watchers.get(id)
        queues?.delete(queue)
        if (queues?.size === 0) watchers.delete(id)
      }

      return RequestChanges.of({
        watch: (id) =>
          Effect.acquireRelease(
            Effect.map(Queue.sliding<void>(1), (queue) => {
              const queues = watchers.get(id) ?? new Set()
              watchers.set(id, queues.add(queue))
              return queue
            }),
            (queue) => Effect.sync(() => unwatch(id, queue))
          ).pipe(Effect.map(Queue.take))
      })
    })
  )
}
