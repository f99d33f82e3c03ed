/** The workers that wait on this node, and the leases that workers have from it. */
import { Clock, Context, Deferred, Effect, Layer } from "effect"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import * as HandedBack from "./HandedBack.ts"
import type { Lease } from "./Lease.ts"
import * as Pollers from "./Pollers.ts"
import * as Presence from "./Presence.ts"
import * as JobFilter from "./JobFilter.ts"

/** What became of an ended lease. `ended`: by the worker's report. */
export type Over = "ended" | "released" | "lost"

/** The most ended leases to remember, to recognize repeated calls. */
const rememberedLeases = 10_000

export class WorkerPool extends Context.Service<
  WorkerPool,
  {
    readonly pollers: Pollers.Pollers
    readonly handedBack: HandedBack.HandedBack
    /** Whether a worker for the model is there: one that waits, works, or has called within 10 s. */
    readonly isServed: (model: string) => boolean
    /** Registers a lease. `wish`: the filter of its worker; `null` if unknown. */
    readonly add: (lease: Lease, wish: JobFilter.JobFilter | null) => void
    /** The run is over: `lost`, unless the worker reported its end here or at another node. */
    readonly remove: (lease: Lease) => void
    /** `undefined` if this node does not have the lease. */
    readonly lease: (id: string) => Lease | undefined
    /** Only the worker's first report of an end counts. */
    readonly end: (lease: Lease, how: Exclude<Over, "lost">, outcome: ProviderOutcome) => void
    /** The worker's report came too late. */
    readonly lose: (id: string) => void
    /** For a lease that has ended here; `undefined` if it is unknown or forgotten. */
    readonly over: (id: string) => Over | undefined
  }
>()("inferlog/src/features/providers/pull/WorkerPool") {
  static readonly layer = Layer.effect(
    WorkerPool,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const presence = Presence.make(() => MonotonicTime.millisOf(clock))
      const pollers = yield* Pollers.make(presence.left)
      const leases = new Map<string, { readonly lease: Lease; readonly wish: JobFilter.JobFilter | null }>()
      const over = RecentlyUsed.make<Over>({ capacity: rememberedLeases })

      return WorkerPool.of({
        pollers,
        handedBack: HandedBack.make(),
        isServed: (model) =>
          pollers.room(model) > 0 ||
          presence.isExpected(model) ||
          [...leases.values()].some(({ lease, wish }) =>
            wish === null ? lease.job.model.endpoint === model : JobFilter.isFor(wish, model)
          ),
        add: (lease, wish) => void leases.set(lease.id, { lease, wish }),
        remove: ({ id, isEndedElsewhere }) => {
          const wish = leases.get(id)?.wish
          leases.delete(id)
          if (wish) presence.left(wish)
          if (!isEndedElsewhere && over.get(id) === undefined) over.set(id, "lost")
        },
        lease: (id) => leases.get(id)?.lease,
        end: (lease, how, outcome) => {
          if (Deferred.doneUnsafe(lease.ended, Effect.succeed(outcome))) over.set(lease.id, how)
        },
        lose: (id) => over.set(id, "lost"),
        over: (id) => over.get(id)
      })
    })
  )
}
