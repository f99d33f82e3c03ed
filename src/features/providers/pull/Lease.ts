/** A run that a worker has, as long as the worker reports in time. */
import { Deferred, Effect } from "effect"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { Job, RunControl } from "../Provider.ts"
import * as OutputChunks from "../OutputChunks.ts"
import * as Options from "./Options.ts"

export interface Lease {
  readonly id: string
  readonly job: Job
  readonly control: RunControl
  readonly leaseMs: number
  /** What the worker has reported of its output; `null` if the model's output does not stream. */
  readonly chunks: OutputChunks.OutputChunks | null
  /** On the monotonic clock, ms. */
  expiresAt: number
  /** Whether the worker is asked to stop. */
  cancelRequested: boolean
  /** Another node has recorded the end of the run. */
  isEndedElsewhere: boolean
  /** The end: the worker's first report of one, unless the run ended before. */
  readonly ended: Deferred.Deferred<ProviderOutcome>
}

const expired: ProviderOutcome = {
  _tag: "Lost",
  message: "The worker was not heard of for as long as its lease lasts.",
  worker: true
}

const stopped: ProviderOutcome = { _tag: "Stopped" }

/** Duration of a lease, ms. */
export const leaseMsOf = (binding: ProviderBinding | undefined): number => {
  const { leaseSeconds = Options.usualLeaseSeconds } = Options.decode(binding?.options ?? {})
  return leaseSeconds * 1_000
}

/** `isNew`: false for the lease of a former process. */
export const make = (id: string, job: Job, control: RunControl, isNew = true): Effect.Effect<Lease> =>
  Effect.map(MonotonicTime.millis, (now) => {
    const leaseMs = leaseMsOf(job.binding)
    const ended = Deferred.makeUnsafe<ProviderOutcome>()
    return {
      id,
      job,
      control,
      leaseMs,
      chunks: OutputChunks.make(job, control, isNew),
      expiresAt: now + leaseMs,
      cancelRequested: false,
      isEndedElsewhere: false,
      ended
    }
  })

/** Renews the lease. */
export const renew = (lease: Lease): Effect.Effect<void> =>
  Effect.map(MonotonicTime.millis, (now) => void (lease.expiresAt = now + lease.leaseMs))

const untilExpired = Effect.fnUntraced(function* (lease: Lease) {
  while (true) {
    const left = lease.expiresAt - (yield* MonotonicTime.millis)
    if (left <= 0) return expired
    yield* Effect.sleep(left)
  }
})

/** A worker that does not confirm the stop gets as much time as a silent one. */
const untilStopped = Effect.fnUntraced(function* (lease: Lease) {
  yield* lease.control.stopRequested
  lease.cancelRequested = true
  yield* Effect.sleep(lease.leaseMs)
  return stopped
})

/** Waits for the end, here or recorded `elsewhere`. The first one ends the lease; later reports find it ended. */
export const follow = (lease: Lease, elsewhere: Effect.Effect<ProviderOutcome>) =>
  Effect.raceAllFirst([
    Deferred.await(lease.ended),
    untilExpired(lease),
    untilStopped(lease),
    elsewhere
  ]).pipe(
    Effect.flatMap((outcome) => Deferred.succeed(lease.ended, outcome)),
    Effect.andThen(Deferred.await(lease.ended)),
    Effect.flatMap((outcome) =>
      lease.chunks === null || lease.isEndedElsewhere ? Effect.succeed(outcome) : lease.chunks.ended(outcome)
    )
  )
