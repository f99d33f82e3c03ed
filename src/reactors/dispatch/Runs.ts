/** The runs under way on this node: a supervised fiber each, counted per model. */
import { Context, Deferred, Effect, FiberSet, Layer } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import * as Run from "./Run.ts"

export interface StartOptions {
  readonly id: RequestId
  /** The model's endpoint, under which the run counts from now on. */
  readonly endpoint: string
  /** Makes the claim, or finds that there is nothing to claim: `null`. It tells its caller itself when it fails. */
  readonly claim: Effect.Effect<Run.Claimed | null>
  /** Runs when the outcome of what was claimed is recorded. */
  readonly onEnd: Effect.Effect<unknown>
}

export class Runs extends Context.Service<
  Runs,
  {
    /** Starts a run in a fiber of its own and returns at once. */
    start(options: StartOptions): Effect.Effect<void>
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
      const fibers = yield* FiberSet.make()
      const stops = new Map<RequestId, Deferred.Deferred<void>>()
      const counts = new Map<string, number>()

      const count = (endpoint: string) => counts.get(endpoint) ?? 0

      const start = ({ claim, endpoint, id, onEnd }: StartOptions) =>
        Effect.suspend(() => {
          const stop = Deferred.makeUnsafe<void>()
          let isClaimed = false
          counts.set(endpoint, count(endpoint) + 1)
          const claiming = Effect.map(claim, (claimed) => {
            isClaimed = claimed !== null
            if (isClaimed) stops.set(id, stop)
            return claimed
          })
          const ended = Effect.suspend(() => {
            counts.set(endpoint, count(endpoint) - 1)
            // The next run of the request may have begun.
            if (stops.get(id) === stop) stops.delete(id)
            return isClaimed ? onEnd : Effect.void
          })
          return run(claiming, Deferred.await(stop)).pipe(
            Effect.catchDefect((defect) => Effect.logError("A run was left without an outcome", defect)),
            Effect.ensuring(ended),
            Effect.annotateLogs({ request_id: id }),
            FiberSet.run(fibers),
            Effect.asVoid
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
