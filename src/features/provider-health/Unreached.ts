/**
 * Providers that no connection can be made to. No run begins at one until a probe, a connection that carries nothing, succeeds;
 * probes are seconds apart however long an outage lasts. Times are ms of a monotonic clock.
 */
import type { ConnectionError } from "#domain/Outcome.ts"

/** After the first failure; twice as long each time, up to `longestMs`. A probe itself takes `probeMs` at most. */
const shortestMs = 1_000
const longestMs = 5_000

/** How long a probe may take, ms: with `longestMs` two probes begin at most 10 s apart. */
export const probeMs = 5_000

/** A provider that was reached for so long is probed soon again when it is gone again, ms. */
const steadyMs = 60_000

interface Outage {
  reason: ConnectionError
  isOver: boolean
  /** Probes that failed in a row, and runs that were not handed over behind a probe that succeeded. */
  failures: number
  isProbing: boolean
  probeAt: number
  reachedAt: number
}

export interface Unreached {
  /** Why the provider cannot be reached; `null` when it can, as far as is known. */
  readonly reasonOf: (key: string) => ConnectionError | null
  /** When it is to be probed next; `null` when it is not to be. In the past while a probe is under way. */
  readonly probeAt: (key: string) => number | null
  /** A connection could not be made. True when that is news. */
  readonly fail: (key: string, reason: ConnectionError, now: number) => boolean
  /** A probe begins, if one is due and none is under way. */
  readonly beginProbe: (key: string, now: number) => boolean
  /** A connection was made. True when that is news. */
  readonly reach: (key: string, now: number) => boolean
  /** The probe ended without saying anything. */
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
    // Of many runs that fail together the first counts, and the probe of what is known to be away.
    if (!isNews && !before.isProbing) return false
    const isNew = before === undefined || (before.isOver && now - before.reachedAt >= steadyMs)
    const failures = isNew ? 1 : before.failures + 1
    outages.set(key, {
      reason,
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
