/** The runs under way on this node, counted per model and per provider. */
import { Context, Effect, Layer } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { Watch } from "#src/features/provider-health/Watch.ts"
import type { Lease } from "#src/kernel/limits/MemoryBudget.ts"
import type { Claimed } from "./Claimed.ts"
import { Run } from "./Run.ts"
import type { About } from "./RunFibers.ts"
import * as RunParts from "./RunParts.ts"

/** What a run takes before its claim. */
export interface RunSlot {
  readonly about: About
  /** The endpoint of the model that runs, which the run counts for. */
  readonly endpoint: string
  /** The name of the provider, which the run counts for, too. */
  readonly provider: string
  /** Learns how the run does at its provider, and when it is over. */
  readonly watch: Watch
  /** The memory of the input, released with the slot. */
  readonly memory?: Lease | null
  /** Called when the slot is released. */
  readonly onEnd: () => void
}

/** One of its functions is called once. */
export interface Taken {
  /** Runs the claimed request. The slot is released when the outcome is recorded. */
  readonly begin: (claimed: Claimed) => void
  /** Without a claim. */
  readonly release: () => void
}

export class Runs extends Context.Service<
  Runs,
  {
    /** Takes a slot for a request that is about to be claimed. When the node stops, it waits for the claim. */
    take(slot: RunSlot): Taken
    /** Asks the provider to stop this node's run of the request; with `attempt`, only up to that attempt. */
    stop(id: RequestId, attempt?: number): Effect.Effect<void>
    /** Whether this node runs the request. */
    has(id: RequestId): boolean
    /** The slots taken for a model. Wrappers count for their base model. */
    count(endpoint: string): number
    /** The slots taken at a provider. */
    countOf(provider: string): number
    /** All slots taken. */
    total(): number
  }
>()("inferlog/src/features/dispatch/Runs") {
  static readonly layer = Layer.effect(
    Runs,
    Effect.gen(function* () {
      const parts = yield* RunParts.make
      const live = new Set<Run>()
      /** The newest run of each request. An older one may still be live if its provider does not stop it. */
      const runs = new Map<RequestId, Run>()
      const ofModel = new Map<string, number>()
      const ofProvider = new Map<string, number>()
      let taken = 0
      /** Called when the last slot is released. Set when the node stops. */
      let onEmpty: (() => void) | null = null

      const count = (counts: Map<string, number>, name: string, change: 1 | -1) =>
        counts.set(name, (counts.get(name) ?? 0) + change)

      const release = ({ endpoint, memory, onEnd, provider, watch }: RunSlot) => {
        count(ofModel, endpoint, -1)
        count(ofProvider, provider, -1)
        taken--
        watch.ended(null)
        memory?.release()
        onEnd()
        if (taken === 0) onEmpty?.()
      }

      const begin = (slot: RunSlot, claimed: Claimed) => {
        const { id } = claimed
        const run = new Run(parts, claimed, {
          about: slot.about,
          watch: slot.watch,
          onOver: () => {
            live.delete(run)
            // The next run of the request may have begun.
            if (runs.get(id) === run) runs.delete(id)
            release(slot)
          }
        })
        // An older run of the request ended on another node, or this node could not stop it.
        runs.get(id)?.stop()
        runs.set(id, run)
        live.add(run)
        if (onEmpty !== null) run.interrupt()
        run.begin()
      }

      const take = (slot: RunSlot): Taken => {
        count(ofModel, slot.endpoint, 1)
        count(ofProvider, slot.provider, 1)
        taken++
        return { begin: (claimed) => begin(slot, claimed), release: () => release(slot) }
      }

      /** Claims and outcomes on their way to the log are waited for: no other node makes them. */
      const close = Effect.callback<void>((resume) => {
        onEmpty = () => resume(Effect.void)
        if (taken === 0) return onEmpty()
        for (const run of live) run.interrupt()
      })
      yield* Effect.addFinalizer(() => close)

      return Runs.of({
        take,
        stop: (id, attempt = Infinity) =>
          Effect.sync(() => {
            const run = runs.get(id)
            if (run !== undefined && run.attempt <= attempt) run.stop()
          }),
        has: (id) => runs.has(id),
        count: (endpoint) => ofModel.get(endpoint) ?? 0,
        countOf: (provider) => ofProvider.get(provider) ?? 0,
        total: () => taken
      })
    })
  )
}
