/** The runs under way on this node: a supervised fiber each, counted per model. */
import { Cause, Context, Deferred, Effect, type Exit, FiberSet, Layer, References } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import * as Run from "./Run.ts"

export interface StartOptions<E> {
  readonly id: RequestId
  /** The model's endpoint, under which the run counts from now on. */
  readonly endpoint: string
  /** Makes the claim, or finds that there is nothing to claim: `null`. */
  readonly claim: Effect.Effect<Run.Claimed | null, E>
  /** Called when the claim is made and counts here, or is not made. A claim that fails is told of in no other way. */
  readonly onClaim?: (exit: Exit.Exit<Run.Claimed | null, E>) => void
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
    /** Runs under way of a model. */
    count(endpoint: string): number
  }
>()("inferlog/src/reactors/dispatch/Runs") {
  static readonly layer = Layer.effect(
    Runs,
    Effect.gen(function* () {
      const run = yield* Run.make
      const fibers = yield* FiberSet.make()
      const stops = new Map<RequestId, { readonly attempt: number; readonly stop: Deferred.Deferred<void> }>()
      const counts = new Map<string, number>()

      const count = (endpoint: string) => counts.get(endpoint) ?? 0

      /** In the caller's context, with one annotation more: to add and to remove it around the run costs a hot path twice. */
      const fork = (id: RequestId, effect: Effect.Effect<void>) =>
        Effect.withFiber<void>(({ context }) => {
          const annotations = { ...Context.get(context, References.CurrentLogAnnotations), request_id: id }
          const annotated = Context.add(context, References.CurrentLogAnnotations, annotations)
          FiberSet.addUnsafe(fibers, Effect.runForkWith(annotated)(effect))
          return Effect.void
        })

      const start = <E>({ claim, endpoint, id, onClaim, onEnd }: StartOptions<E>) =>
        Effect.suspend(() => {
          const stop = Deferred.makeUnsafe<void>()
          counts.set(endpoint, count(endpoint) + 1)
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
          const running = Effect.onExitPrimitive(run(claiming, Deferred.await(stop)), () => {
            counts.set(endpoint, count(endpoint) - 1)
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
        count
      })
    })
  )
}

const leftOver = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Cause.hasDies(cause) ? Effect.logError("A run was left without an outcome", cause) : Effect.void
