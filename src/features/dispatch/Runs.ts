/** The runs under way on this node: a supervised fiber each, counted per model and per provider. */
import { Cause, Context, Deferred, Effect, type Exit, FiberSet, Layer, References } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { Watch } from "#src/features/provider-health/ProviderHealth.ts"
import type { Lease } from "#src/kernel/limits/MemoryBudget.ts"
import * as Run from "./Run.ts"

export interface StartOptions<E> {
  readonly id: RequestId
  /** The endpoint of the model that runs, under which the run counts from now on. */
  readonly endpoint: string
  /** The provider's name, under which it counts as well. */
  readonly provider: string
  /** Told how the run does at its provider, and that it is over. */
  readonly watch: Watch
  /** Makes the claim, or finds that there is nothing to claim: `null`. */
  readonly claim: Effect.Effect<Run.Claimed | null, E>
  /** Called when the claim is made and counts here, or is not made. A claim that fails is told of in no other way. */
  readonly onClaim?: (exit: Exit.Exit<Run.Claimed | null, E>) => void
  /** For the input; given back at the end of the run, or when there is none. */
  readonly memory?: Lease | null
  /** Runs when there is room again: the outcome is recorded, or there was nothing to claim. */
  readonly onEnd: Effect.Effect<unknown>
}

export class Runs extends Context.Service<
  Runs,
  {
    /** Starts a run in a fiber of its own and returns at once. */
    start<E>(options: StartOptions<E>): Effect.Effect<void>
    /** Asks the provider to stop the run, if it is one of this node's; with `attempt`, unless it is a later one. */
    stop(id: RequestId, attempt?: number): Effect.Effect<void>
    /** Whether the request is being run here. */
    has(id: RequestId): boolean
    /** Runs under way of a model, under whichever endpoint they were submitted. */
    count(endpoint: string): number
    /** Runs under way at a provider. */
    countOf(provider: string): number
  }
>()("inferlog/src/features/dispatch/Runs") {
  static readonly layer = Layer.effect(
    Runs,
    Effect.gen(function* () {
      const run = yield* Run.make
      const fibers = yield* FiberSet.make()
      const stops = new Map<RequestId, { readonly attempt: number; readonly stop: Deferred.Deferred<void> }>()
      const ofModel = new Map<string, number>()
      const ofProvider = new Map<string, number>()

      const count = (counts: Map<string, number>, name: string, change: 1 | -1) =>
        counts.set(name, (counts.get(name) ?? 0) + change)

      /** In the caller's context, with one annotation more: to add and to remove it around the run costs a hot path twice. */
      const fork = (id: RequestId, effect: Effect.Effect<void>) =>
        Effect.withFiber<void>(({ context }) => {
          const annotations = { ...Context.get(context, References.CurrentLogAnnotations), request_id: id }
          const annotated = Context.add(context, References.CurrentLogAnnotations, annotations)
          FiberSet.addUnsafe(fibers, Effect.runForkWith(annotated)(effect))
          return Effect.void
        })

      const start = <E>({ claim, endpoint, id, memory, onClaim, onEnd, provider, watch }: StartOptions<E>) =>
        Effect.suspend(() => {
          const stop = Deferred.makeUnsafe<void>()
          count(ofModel, endpoint, 1)
          count(ofProvider, provider, 1)
          const claiming = Effect.onExitPrimitive(claim, (exit) => {
            if (exit._tag === "Success" && exit.value !== null) {
              // Of an older run another node has seen the end, or this one could not make it stop.
              const older = stops.get(id)
              if (older !== undefined) Deferred.doneUnsafe(older.stop, Effect.void)
              stops.set(id, { attempt: exit.value.request.attempt, stop })
            }
            onClaim?.(exit)
            return undefined
          })
          const running = Effect.onExitPrimitive(run(claiming, Deferred.await(stop), watch), () => {
            count(ofModel, endpoint, -1)
            count(ofProvider, provider, -1)
            watch.ended(null)
            memory?.release()
            // The next run of the request may have begun.
            if (stops.get(id)?.stop === stop) stops.delete(id)
            return Effect.asVoid(onEnd)
          })
          return fork(id, Effect.catchCause(running, leftOver))
        })

      return Runs.of({
        start,
        stop: (id, attempt = Infinity) =>
          Effect.suspend(() => {
            const run = stops.get(id)
            return run === undefined || run.attempt > attempt
              ? Effect.void
              : Deferred.succeed(run.stop, undefined)
          }),
        has: (id) => stops.has(id),
        count: (endpoint) => ofModel.get(endpoint) ?? 0,
        countOf: (provider) => ofProvider.get(provider) ?? 0
      })
    })
  )
}

const leftOver = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Cause.hasDies(cause) ? Effect.logError("A run was left without an outcome", cause) : Effect.void
