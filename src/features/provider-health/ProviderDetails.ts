/** What a node knows of a provider, for operators. */
import type { ConnectionError } from "#domain/Outcome.ts"
import * as Circuit from "./Circuit.ts"
import type { Outcome } from "./RunOutcome.ts"
import type { Unreached } from "./Unreached.ts"
import type { Watch } from "./Watch.ts"

/** The last run that its provider failed, refused or postponed. */
interface LastError {
  readonly outcome: Outcome
  /** Without credential and address; `null` if the provider gave none. */
  readonly message: string | null
  /** Unix time in ms. */
  readonly at: number
}

/** What this node knows of a provider. Times are Unix ms. */
export interface ProviderDetails {
  readonly name: string
  readonly circuit: Circuit.Circuit["_tag"]
  /** Since when no run, or one at a time, may begin: because it fails, or cannot be reached; `null` while any may. */
  readonly heldSince: number | null
  /** Failures since the last answer. */
  readonly failures: number
  /** When a run or a probe is tried next; `null` if one may begin now. */
  readonly nextTryAt: number | null
  /** The end of the pause that the provider requested; `null` without one. */
  readonly pausedUntil: number | null
  /** Why no connection can be made; `null` if one can, as far as is known. */
  readonly unreachable: ConnectionError | null
  readonly lastError: LastError | null
}

export interface KnownProvider {
  circuit: Circuit.Circuit
  pausedUntil: number
  pauses: number
  readonly ended: Record<Outcome, number>
  /** When the circuit left `Closed`, Unix time in ms; `null` while it is closed. */
  openSince: number | null
  /** Failures since the last answer. */
  failures: number
  lastError: LastError | null
  /** The addresses at which runs began. */
  readonly addresses: Set<string>
  /** For a provider that is never held back: only counts its runs. */
  readonly counting: Watch
}

export interface Times {
  /** ms of a monotonic clock. */
  readonly now: () => number
  /** Unix time in ms. */
  readonly wall: () => number
}

const outageOf = ({ addresses }: KnownProvider, unreached: Unreached) => {
  for (const address of addresses) {
    const reason = unreached.reasonOf(address)
    if (reason === null) continue
    return {
      reason,
      probeAt: unreached.probeAt(address) ?? -Infinity,
      since: unreached.since(address) ?? Infinity
    }
  }
  return null
}

export const of = (
  name: string,
  provider: KnownProvider,
  { times, unreached }: { readonly times: Times; readonly unreached: Unreached }
): ProviderDetails => {
  const at = times.now()
  const { circuit, failures, lastError, openSince, pausedUntil } = provider
  const outage = outageOf(provider, unreached)
  const unixOf = (time: number) => Math.round(times.wall() + time - at)
  // While no connection can be made, probes decide when runs begin.
  const admitsAt = outage?.probeAt ?? Circuit.admitsAt(circuit, at) ?? -Infinity
  const nextTry = Math.max(admitsAt, pausedUntil)
  return {
    name,
    circuit: Circuit.at(circuit, at)._tag,
    heldSince: outage === null ? openSince : unixOf(outage.since),
    failures,
    nextTryAt: nextTry > at ? unixOf(nextTry) : null,
    pausedUntil: pausedUntil > at ? unixOf(pausedUntil) : null,
    unreachable: outage?.reason ?? null,
    lastError
  }
}
