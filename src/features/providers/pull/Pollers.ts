/** The workers that wait on this node for a job. The one that has waited longest gets the first suitable job. */
import { Deferred, Effect, PubSub, Stream } from "effect"
import type { Lease } from "./Lease.ts"
import * as JobFilter from "./JobFilter.ts"

/** A waiting worker, as its own call sees it. */
export interface Poller {
  /** Completes when the worker has been given a job. */
  readonly arrived: Effect.Effect<void>
  /** Stops waiting. Returns the job that the worker was given, if any, which the caller now handles. */
  readonly leave: () => Lease | null
}

/** A waiting worker, as a job sees it. */
export interface Waiting extends JobFilter.JobFilter {
  /** `false` if the worker has left. */
  readonly give: (lease: Lease) => boolean
  /** Whether the worker still waits. */
  readonly isFree: () => boolean
}

/** How long a run waits for a worker, ms. It was claimed for one that was there. */
const graceMs = 1_000

export interface Pollers {
  /** The worker waits from now on, behind all others. */
  readonly join: (wish: JobFilter.JobFilter) => Poller
  /** Waiting workers with the key. */
  readonly countOf: (keyId: string) => number
  /** Workers that wait for jobs of the model (the base of a wrapper), whether it is offered or withdrawn. */
  readonly room: (model: string) => number
  /** Emits when another worker waits. */
  readonly changes: Stream.Stream<void>
  /** The worker that waited longest for a job of the model, or comes within a second; `null` without one. */
  readonly withWorker: <A>(
    model: string,
    use: (worker: Waiting) => Effect.Effect<A>
  ) => Effect.Effect<A | null>
}

/** A run that waits for a worker. */
interface Seeker {
  readonly model: string
  readonly found: Deferred.Deferred<void>
  worker: Waiting | null
}

/** Called with each worker that begins, or stops, to wait. */
export interface Watch {
  readonly onJoin: (wish: JobFilter.JobFilter) => void
  readonly onLeave: (wish: JobFilter.JobFilter) => void
}

export const make = Effect.fnUntraced(function* ({ onJoin, onLeave }: Watch) {
  const joined = yield* PubSub.sliding<void>(1)
  /** Longest waiting first, as for the seekers. */
  let row: ReadonlyArray<Waiting> = []
  const seekers = new Set<Seeker>()

  const remove = (one: Waiting) => {
    row = row.filter((other) => other !== one)
  }

  /** True if a run was waiting for it. */
  const isSought = (waiting: Waiting): boolean => {
    for (const seeker of seekers) {
      if (!JobFilter.isFor(waiting, seeker.model)) continue
      seekers.delete(seeker)
      seeker.worker = waiting
      Deferred.doneUnsafe(seeker.found, Effect.void)
      return true
    }
    return false
  }

  const putBack = (waiting: Waiting) => {
    if (!waiting.isFree() || isSought(waiting)) return
    row = [waiting, ...row]
    PubSub.publishUnsafe(joined, undefined)
  }

  const join = (wish: JobFilter.JobFilter): Poller => {
    onJoin(wish)
    const arrived = Deferred.makeUnsafe<void>()
    let isHere = true
    let given: Lease | null = null
    const waiting: Waiting = {
      ...wish,
      isFree: () => isHere && given === null,
      give: (lease) => {
        if (!isHere) return false
        given = lease
        Deferred.doneUnsafe(arrived, Effect.void)
        return true
      }
    }
    if (!isSought(waiting)) {
      row = [...row, waiting]
      PubSub.publishUnsafe(joined, undefined)
    }
    const leave = () => {
      const lease = isHere ? given : null
      isHere = false
      remove(waiting)
      onLeave(wish)
      return lease
    }
    return { arrived: Deferred.await(arrived), leave }
  }

  const seek = (
    model: string,
    wait: (found: Effect.Effect<void>) => Effect.Effect<unknown>
  ): Effect.Effect<Waiting | null> =>
    Effect.suspend(() => {
      const seeker: Seeker = { model, found: Deferred.makeUnsafe<void>(), worker: null }
      seekers.add(seeker)
      const taken = () => {
        const { worker } = seeker
        seeker.worker = null
        return worker
      }
      return Effect.ensuring(
        Effect.map(wait(Deferred.await(seeker.found)), taken),
        Effect.sync(() => {
          seekers.delete(seeker)
          if (seeker.worker !== null) putBack(seeker.worker)
        })
      )
    })

  const withWorker: Pollers["withWorker"] = (model, use) =>
    Effect.uninterruptibleMask((restore) => {
      const first = row.find((waiting) => JobFilter.isFor(waiting, model))
      if (first !== undefined) remove(first)
      const worker =
        first === undefined
          ? seek(model, (found) => restore(Effect.timeoutOption(found, graceMs)))
          : Effect.succeed(first)
      return Effect.flatMap(worker, (waiting) =>
        waiting === null
          ? Effect.succeed(null)
          : Effect.ensuring(
              restore(use(waiting)),
              Effect.sync(() => putBack(waiting))
            )
      )
    })

  const pollers: Pollers = {
    join,
    countOf: (keyId) => row.filter(({ worker }) => worker.keyId === keyId).length,
    room: (model) => row.filter((waiting) => JobFilter.isFor(waiting, model)).length,
    changes: Stream.fromPubSub(joined),
    withWorker
  }
  return pollers
})
