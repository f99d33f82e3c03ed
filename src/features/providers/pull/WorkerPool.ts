/** The workers that wait on this node, and the leases that workers have from it. */
import { Clock, Context, Deferred, Effect, Layer } from "effect"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import type { Worker } from "../workers/WorkerAuthentication.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import * as HandedBack from "./HandedBack.ts"
import type { Lease } from "./Lease.ts"
import * as Pollers from "./Pollers.ts"
import * as JobFilter from "./JobFilter.ts"
import * as Roster from "./Roster.ts"

const { graceMs } = Roster

interface Presence {
  readonly left: (wish: JobFilter.JobFilter) => void
  /** Whether a worker for the model has left recently. */
  readonly isExpected: (model: string) => boolean
}

/** @param now ms of a monotonic clock. */
export const makePresence = (now: () => number): Presence => {
  /** Workers with the same filter count as one. The one that left first is first. */
  const gone = new Map<string, { readonly wish: JobFilter.JobFilter; readonly at: number }>()

  const forget = (before: number) => {
    for (const [name, { at }] of gone) {
      if (at > before) return
      gone.delete(name)
    }
  }

  return {
    left: (wish) => {
      const at = now()
      forget(at - graceMs)
      const name = JobFilter.nameOf(wish)
      gone.delete(name)
      gone.set(name, { wish, at })
    },
    isExpected: (model) => {
      forget(now() - graceMs)
      return [...gone.values()].some(({ wish }) => JobFilter.isFor(wish, model))
    }
  }
}

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
    /** The worker has called about its job. */
    readonly heard: (lease: Lease, worker: Worker) => void
    /** The workers that call this node. */
    readonly roster: Pick<Roster.Roster, "all" | "connected">
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
      const presence = makePresence(() => MonotonicTime.millisOf(clock))
      const roster = Roster.make(() => clock.currentTimeMillisUnsafe())
      const pollers = yield* Pollers.make({
        onJoin: roster.joined,
        onLeave: (wish) => {
          presence.left(wish)
          roster.left(wish)
        }
      })
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
        roster,
        add: (lease, wish) => {
          leases.set(lease.id, { lease, wish })
          if (wish !== null) roster.took(wish)
        },
        heard: (lease, worker) => {
          const known = leases.get(lease.id)
          if (known === undefined) return
          if (known.wish !== null) return roster.heard(known.wish)
          // Its claim was made before this process started.
          const wish = { worker, models: new Set<string>([lease.job.model.endpoint]) }
          leases.set(lease.id, { lease, wish })
          roster.took(wish)
        },
        remove: ({ id, isEndedElsewhere }) => {
          const wish = leases.get(id)?.wish
          leases.delete(id)
          if (wish) {
            presence.left(wish)
            roster.ended(wish)
          }
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
