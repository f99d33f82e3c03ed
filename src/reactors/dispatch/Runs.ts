/** The runs under way on this node: a supervised fiber each, counted per model. */
import { Context, Deferred, Effect, FiberMap, Layer } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import * as Run from "./Run.ts"

export class Runs extends Context.Service<
  Runs,
  {
    /** Starts the run of a claimed request and returns at once. `onEnd` runs when its outcome is recorded. */
    start(claimed: Run.Claimed, onEnd: Effect.Effect<unknown>): Effect.Effect<void>
    /** Asks the provider to stop the run, if it is one of this node's. */
    stop(id: RequestId): Effect.Effect<void>
    /** Whether the request is being run here. */
    has(id: RequestId): boolean
    /** Runs under way of a model. */
    count(endpoint: string): number
  }
>()("inferlog/src/reactors/dispatch/Runs") {
  static readonly layer = Layer.effect(
    Runs,
    Effect.gen(function* () {
      const run = yield* Run.make
      const fibers = yield* FiberMap.make<RequestId>()
      const stops = new Map<RequestId, Deferred.Deferred<void>>()
      const counts = new Map<string, number>()

      const count = (endpoint: string) => counts.get(endpoint) ?? 0

      const start = Effect.fnUntraced(function* (claimed: Run.Claimed, onEnd: Effect.Effect<unknown>) {
        const { id, request } = claimed
        const endpoint = request.submitted.model
        const stop = Deferred.makeUnsafe<void>()
        stops.set(id, stop)
        counts.set(endpoint, count(endpoint) + 1)
        const ended = Effect.sync(() => {
          // The next run of the request may have begun.
          if (stops.get(id) === stop) stops.delete(id)
          counts.set(endpoint, count(endpoint) - 1)
        })
        yield* run(claimed, Deferred.await(stop)).pipe(
          Effect.catchDefect((defect) => Effect.logError("A run was left without an outcome", defect)),
          Effect.ensuring(Effect.andThen(ended, onEnd)),
          Effect.annotateLogs({ request_id: id }),
          FiberMap.run(fibers, id)
        )
      })

      return Runs.of({
        start,
        stop: (id) =>
          Effect.suspend(() => {
            const stop = stops.get(id)
            return stop === undefined ? Effect.void : Deferred.succeed(stop, undefined)
          }),
        has: (id) => stops.has(id),
        count
      })
    })
  )
}
