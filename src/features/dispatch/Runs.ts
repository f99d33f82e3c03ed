/** The runs under way on this node: a supervised fiber each, counted per model and per provider. */
import { Cause, Context, Effect, FiberSet, Layer, References } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { Watch } from "#src/features/provider-health/ProviderHealth.ts"
import type { Lease } from "#src/kernel/limits/MemoryBudget.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as Run from "./Run.ts"
import { StopSignal } from "./StopSignal.ts"

/** The slot of a run: taken before its claim, and counted until its outcome is recorded. */
export interface RunSlot {
  readonly id: RequestId
  /** The endpoint of the model that runs, which the run counts for. */
  readonly endpoint: string
  /** The name of the provider, which the run counts for, too. */
  readonly provider: string
  /** Learns how the run does at its provider, and when it is over. */
  readonly watch: Watch
  /** The memory of the input, released with the slot. */
  readonly memory?: Lease | null
  /** Runs when the slot is released. */
  readonly onEnd: Effect.Effect<unknown>
}

export class Runs extends Context.Service<
  Runs,
  {
    /** Forks claim → run → record and returns at once. Only the run is interruptible: no other node runs this claim. */
    fork<E>(slot: RunSlot, sequence: Effect.Effect<void, E>): Effect.Effect<void>
    /** Registers a claimed request, and returns the effect that runs it and records its outcome. */
    begin(claimed: Run.Claimed, watch: Watch): Effect.Effect<Effect.Effect<void, EventStoreError>>
    /** Asks the provider to stop this node's run of the request; with `attempt`, only up to that attempt. */
    stop(id: RequestId, attempt?: number): Effect.Effect<void>
    /** Whether this node runs the request. */
    has(id: RequestId): boolean
    /** The slots taken for a model. Wrappers count for their base model. */
    count(endpoint: string): number
    /** The slots taken at a provider. */
    countOf(provider: string): number
  }
>()("inferlog/src/features/dispatch/Runs") {
  static readonly layer = Layer.effect(
    Runs,
    Effect.gen(function* () {
      const run = yield* Run.make
      const fibers = yield* FiberSet.make()
      const stops = new Map<RequestId, { readonly attempt: number; readonly stop: StopSignal }>()
      const ofModel = new Map<string, number>()
      const ofProvider = new Map<string, number>()

      const count = (counts: Map<string, number>, name: string, change: 1 | -1) =>
        counts.set(name, (counts.get(name) ?? 0) + change)

      /** Adds the annotation to the context of the new fiber, which is cheaper than annotating the effect. */
      const forkAnnotated = (id: RequestId, effect: Effect.Effect<void>) =>
        Effect.withFiber<void>(({ context }) => {
          const annotations = { ...Context.get(context, References.CurrentLogAnnotations), request_id: id }
          const annotated = Context.add(context, References.CurrentLogAnnotations, annotations)
          FiberSet.addUnsafe(fibers, Effect.runForkWith(annotated)(effect))
          return Effect.void
        })

      const fork = <E>(
        { endpoint, id, memory, onEnd, provider, watch }: RunSlot,
        sequence: Effect.Effect<void, E>
      ) =>
        Effect.suspend(() => {
          count(ofModel, endpoint, 1)
          count(ofProvider, provider, 1)
          const counted = Effect.onExitPrimitive(Effect.uninterruptible(sequence), () => {
            count(ofModel, endpoint, -1)
            count(ofProvider, provider, -1)
            watch.ended(null)
            memory?.release()
            return Effect.asVoid(onEnd)
          })
          return forkAnnotated(id, Effect.catchCause(counted, leftOver))
        })

      const begin = (claimed: Run.Claimed, watch: Watch) =>
        Effect.sync(() => {
          const { id, request } = claimed
          const stop = new StopSignal()
          // An older run of the request ended on another node, or this node could not stop it.
          stops.get(id)?.stop.send()
          stops.set(id, { attempt: request.attempt, stop })
          return Effect.onExitPrimitive(run(claimed, stop, watch), () => {
            // The next run of the request may have begun.
            if (stops.get(id)?.stop === stop) stops.delete(id)
            return undefined
          })
        })

      return Runs.of({
        fork,
        begin,
        stop: (id, attempt = Infinity) =>
          Effect.sync(() => {
            const run = stops.get(id)
            if (run !== undefined && run.attempt <= attempt) run.stop.send()
          }),
        has: (id) => stops.has(id),
        count: (endpoint) => ofModel.get(endpoint) ?? 0,
        countOf: (provider) => ofProvider.get(provider) ?? 0
      })
    })
  )
}

const leftOver = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Cause.hasDies(cause) ? Effect.logError("A run has no recorded outcome", cause) : Effect.void
