/** A run that a worker has, for as long as it is heard of. */
import { Deferred, Effect } from "effect"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { Job, RunControl } from "../Provider.ts"
import * as Options from "./Options.ts"

export interface Lease {
  readonly id: string
  readonly job: Job
  readonly control: RunControl
  readonly leaseMs: number
  /** On the monotonic clock, ms. */
  expiresAt: number
  /** Whether the worker is told to stop. */
  cancelRequested: boolean
  /** Another node has recorded how the run ended. */
  isEndedElsewhere: boolean
  /** How it ends, once that is certain: by the worker's first word, unless it was over before. */
  readonly ended: Deferred.Deferred<ProviderOutcome>
}

const expired: ProviderOutcome = {
  _tag: "Lost",
  message: "The worker was not heard of for as long as its lease lasts."
}

const stopped: ProviderOutcome = { _tag: "Stopped" }

/** How long a lease lasts, ms. */
export const leaseMsOf = (binding: ProviderBinding | undefined): number => {
  const { leaseSeconds = Options.usualLeaseSeconds } = Options.decode(binding?.options ?? {})
  return leaseSeconds * 1_000
}

export const make = (id: string, job: Job, control: RunControl): Effect.Effect<Lease> =>
  Effect.map(MonotonicTime.millis, (now) => {
    const leaseMs = leaseMsOf(job.binding)
    const ended = Deferred.makeUnsafe<ProviderOutcome>()
    return {
      id,
      job,
      control,
      leaseMs,
      expiresAt: now + leaseMs,
      cancelRequested: false,
      isEndedElsewhere: false,
      ended
    }
  })

/** The worker lives. */
export const renew = (lease: Lease): Effect.Effect<void> =>
  Effect.map(MonotonicTime.millis, (now) => void (lease.expiresAt = now + lease.leaseMs))

const untilExpired = Effect.fnUntraced(function* (lease: Lease) {
  while (true) {
    const left = lease.expiresAt - (yield* MonotonicTime.millis)
    if (left <= 0) return expired
    yield* Effect.sleep(left)
  }
})

/** A worker that does not say that it has stopped is waited for as long as for one that says nothing. */
const untilStopped = Effect.fnUntraced(function* (lease: Lease) {
  yield* lease.control.stopRequested
  lease.cancelRequested = true
  yield* Effect.sleep(lease.leaseMs)
  return stopped
})

/**
 * To its one end. `elsewhere` ends with what another node has heard of the run. Whichever is first, a word of the worker that
 * comes after it finds the lease ended.
 */
export const follow = (lease: Lease, elsewhere: Effect.Effect<ProviderOutcome>) =>
  Effect.raceAllFirst([
    Deferred.await(lease.ended),
    untilExpired(lease),
    untilStopped(lease),
    elsewhere
  ]).pipe(
    Effect.flatMap((outcome) => Deferred.succeed(lease.ended, outcome)),
    Effect.andThen(Deferred.await(lease.ended))
  )
