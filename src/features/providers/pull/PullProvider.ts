/**
 * Workers that fetch their jobs (docs/operators/workers.md). A run goes to a waiting worker and stays with it as long
 * as the worker reports. The lease names the job and is on the log before the worker gets it, so that after a restart
 * the worker continues with the lease, and the run with the worker.
 */
import { Effect } from "effect"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { RequestChanges } from "#src/features/requests/RequestChanges.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import type { Job, JobState, Provider, RunControl } from "../Provider.ts"
import * as CurrentRun from "./CurrentRun.ts"
import * as HandedBack from "./HandedBack.ts"
import * as Lease from "./Lease.ts"
import * as LeaseId from "./LeaseId.ts"
import type { JobFilter } from "./JobFilter.ts"
import { WorkerPool } from "./WorkerPool.ts"

const stopped: ProviderOutcome = { _tag: "Stopped" }

export const make = Effect.gen(function* () {
  const pool = yield* WorkerPool
  const actors = yield* RequestActors
  const changes = yield* RequestChanges
  const nodes = yield* Nodes
  const secret = (yield* MasterKey).keyFor(LeaseId.purpose)

  /** Another node may receive the worker's reports, so any record of the run renews the lease. */
  const elsewhere = (lease: Lease.Lease) =>
    Effect.scoped(
      Effect.gen(function* () {
        const { attempt, requestId } = lease.job
        const changed = yield* changes.watch(requestId)
        while (true) {
          yield* changed
          const known = actors.peek(requestId)
          lease.isEndedElsewhere = known !== undefined && CurrentRun.of(known.state, attempt) === null
          if (lease.isEndedElsewhere) return stopped
          yield* Lease.renew(lease)
        }
      })
    )

  const follow = (lease: Lease.Lease) =>
    Effect.andThen(lease.control.started, Lease.follow(lease, elsewhere(lease)))

  /** `null`: no worker is there for it. */
  const offer = (job: Job, control: RunControl, hold: (lease: Lease.Lease, wish: JobFilter) => void) =>
    pool.pollers.withWorker(
      job.model.endpoint,
      Effect.fnUntraced(function* (waiting) {
        const id = LeaseId.make(secret, job, waiting.worker.keyId)
        yield* control.accepted(id)
        const lease = yield* Lease.make(id, job, control)
        // Registered before the worker can use it.
        hold(lease, waiting)
        return waiting.give(lease) ? lease : null
      })
    )

  const run: Provider["run"] = (job, control) =>
    Effect.suspend(() => {
      let current: Lease.Lease | null = null
      const hold = (lease: Lease.Lease, wish: JobFilter) => {
        current = lease
        pool.add(lease, wish)
      }
      const given = Effect.raceFirst(offer(job, control, hold), Effect.as(control.stopRequested, stopped))
      return given.pipe(
        Effect.flatMap((lease) => {
          if (lease === null) return Effect.succeed(HandedBack.atOnce)
          return "job" in lease ? follow(lease) : Effect.succeed(lease)
        }),
        Effect.ensuring(Effect.sync(() => current !== null && pool.remove(current)))
      )
    })

  const reattach: Provider["reattach"] = (job, jobId, control) =>
    Effect.flatMap(Lease.make(jobId, job, control, false), (lease) =>
      Effect.ensuring(
        Effect.andThen(
          Effect.sync(() => pool.add(lease, null)),
          follow(lease)
        ),
        Effect.sync(() => pool.remove(lease))
      )
    )

  const look = Effect.fnUntraced(function* (
    { attempt, requestId }: Parameters<Provider["look"]>[0],
    jobId: string
  ): Effect.fn.Return<JobState> {
    if (pool.lease(jobId) !== undefined) return { _tag: "Alive" }
    const { state } = yield* Effect.orDie(actors.refresh(requestId))
    const run = CurrentRun.of(state, attempt)
    const isElsewhere = run !== null && run.node !== nodes.self && nodes.isAlive(run.node)
    return { _tag: isElsewhere ? "Alive" : "Unknown" }
  })

  const provider: Provider = {
    adapter: "pull",
    run,
    reattach,
    look,
    room: {
      of: ({ endpoint }) => pool.pollers.room(endpoint),
      changes: pool.pollers.changes
    }
  }
  return provider
})
