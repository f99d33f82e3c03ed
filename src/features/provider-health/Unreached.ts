/**
 * Providers that cannot be connected to. No run begins at one until a probe, a connection without a request, succeeds.
 * Probes are seconds apart, however long an outage lasts. Times are ms of a monotonic clock.
 */
import type { ConnectionError } from "#domain/Outcome.ts"

/** Wait after the first failure; doubled each time, up to `longestMs`. A probe takes at most `probeMs`. */
const shortestMs = 1_000
const longestMs = 5_000

/** How long a probe may take, ms. With `longestMs`, probes begin at most 10 s apart. */
export const probeMs = 5_000

/** A provider that was reachable for this long is probed soon again at its next outage, ms. */
const steadyMs = 60_000

interface Outage {
  reason: ConnectionError
  since: number
  isOver: boolean
  /** Consecutive failed probes, and runs that failed to connect after a successful probe. */
  failures: number
  isProbing: boolean
  probeAt: number
  reachedAt: number
}

export interface Unreached {
  /** Why the provider cannot be reached; `null` if it can, as far as is known. */
  readonly reasonOf: (key: string) => ConnectionError | null
  /** When the outage began; `null` without one. */
  readonly since: (key: string) => number | null
  /** When the next probe is due; `null` without one. In the past while a probe runs. */
  readonly probeAt: (key: string) => number | null
  /** A connection failed. True if that is new. */
  readonly fail: (key: string, reason: ConnectionError, now: number) => boolean
  /** Begins a probe if one is due and none runs. */
  readonly beginProbe: (key: string, now: number) => boolean
  /** A connection succeeded. True if that is new. */
  readonly reach: (key: string, now: number) => boolean
  /** The probe ended without a result. */
  readonly endProbe: (key: string) => void
}

export const make = (): Unreached => {
  const outages = new Map<string, Outage>()

  const current = (key: string): Outage | null => {
    const outage = outages.get(key)
    return outage === undefined || outage.isOver ? null : outage
  }

  const fail: Unreached["fail"] = (key, reason, now) => {
    const before = outages.get(key)
    const isNews = before?.isOver !== false
    // Only the first of many simultaneous failures counts, and the probe of a provider known to be unreachable.
    if (!isNews && !before.isProbing) return false
    const isNew = before === undefined || (before.isOver && now - before.reachedAt >= steadyMs)
    const failures = isNew ? 1 : before.failures + 1
    outages.set(key, {
      reason,
      since: isNews ? now : before.since,
      isOver: false,
      failures,
      isProbing: false,
      probeAt: now + Math.min(shortestMs * 2 ** (failures - 1), longestMs),
      reachedAt: 0
    })
    return isNews
  }

  return {
    fail,
    reasonOf: (key) => current(key)?.reason ?? null,
    since: (key) => current(key)?.since ?? null,
    probeAt: (key) => current(key)?.probeAt ?? null,
    beginProbe: (key, now) => {
      const outage = current(key)
      if (outage === null || outage.isProbing || outage.probeAt > now) return false
      outage.isProbing = true
      return true
    },
    reach: (key, now) => {
      const outage = current(key)
      if (outage === null) return false
      outage.isOver = true
      outage.isProbing = false
      outage.reachedAt = now
      return true
    },
    endProbe: (key) => {
      const outage = current(key)
      if (outage !== null) outage.isProbing = false
    }
  }
}
