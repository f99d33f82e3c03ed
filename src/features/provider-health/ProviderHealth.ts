/**
 * The health of providers as this node sees it: a circuit breaker for each, and the pauses that they request by 429.
 * Providers are identified by the names of their bindings; counts last as long as the process.
 */
import * as crypto from "node:crypto"
import { Clock, Context, Effect, Layer, PubSub, Stream } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { ConnectionError } from "#domain/Outcome.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import * as Circuit from "./Circuit.ts"
import * as ProviderDetails from "./ProviderDetails.ts"
import type { Watch, WatchedJob } from "./Watch.ts"
import {
  type About,
  failureOf,
  isError,
  messageOf,
  none,
  type Outcome,
  outcomeOf,
  signOf
} from "./RunOutcome.ts"
import * as Unreached from "./Unreached.ts"

type KnownProvider = ProviderDetails.KnownProvider

export interface ProviderState {
  readonly circuit: Circuit.Circuit["_tag"]
  /** Rest of the pause, ms; 0 without one. */
  readonly pausedMs: number
  /** 429s since the process started. */
  readonly pauses: number
  /** Runs that ended since the process started. */
  readonly ended: Readonly<Record<Outcome, number>>
}

export class ProviderHealth extends Context.Service<
  ProviderHealth,
  {
    /** How many runs may begin at the provider now: none, one, or any number. */
    readonly admits: (binding: ProviderBinding) => number
    /** ms until it may admit one; `null` if it does now, or if no time is known. */
    readonly admitsIn: (binding: ProviderBinding) => number | null
    /** Why the provider cannot be reached; `null` if it can, as far as is known. */
    readonly unreachable: (binding: ProviderBinding) => ConnectionError | null
    /** True if a probe of an unreachable provider is due, which then begins; call `probed` at its end. */
    readonly beginProbe: (binding: ProviderBinding) => boolean
    /** True if runs may begin again. `fault`: `null` if the provider was reached, `undefined` if interrupted. */
    readonly probed: (binding: ProviderBinding, fault: ConnectionError | null | undefined) => boolean
    /** A run begins. */
    readonly begin: (binding: ProviderBinding) => Watch
    /** Rest of the pause that the provider requested, ms; 0 without one. */
    readonly pausedMs: (binding: Pick<ProviderBinding, "name">) => number
    readonly state: (name: string) => ProviderState
    /** Of all providers that had runs. */
    readonly details: () => ReadonlyArray<ProviderDetails.ProviderDetails>
    /** Forgets circuit, pause and outage, so that runs may begin at once. */
    readonly reset: (name: string) => void
    /** Emits after a reset. */
    readonly resets: Stream.Stream<void>
  }
>()("inferlog/src/features/provider-health/ProviderHealth") {
  static readonly layer = Layer.effect(
    ProviderHealth,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const context = yield* Effect.context<never>()
      const tell = (message: string, provider: string, facts: Readonly<Record<string, unknown>> = {}) =>
        Effect.runSyncWith(context)(Effect.annotateLogs(Effect.logWarning(message), { provider, ...facts }))
      const resets = yield* PubSub.sliding<void>(1)
      const times = { now: () => MonotonicTime.millisOf(clock), wall: () => clock.currentTimeMillisUnsafe() }
      return make(times, tell, resets)
    })
  )
}

/** The longest pause, even if the provider requests more, ms. */
const longestPauseMs = 60 * 60 * 1_000
const shortestPauseMs = 250

/** Tells inputs apart. */
const fingerprintOf = (input: Json): string =>
  crypto.createHash("sha256").update(JsonText.write(input)).digest("base64url")

/** Computed only where they may count. */
const keysOf = (outcome: Outcome, job: WatchedJob | null) =>
  job === null || outcome === "succeeded"
    ? { input: null, request: null }
    : { input: fingerprintOf(job.input), request: job.requestId }

type Tell = (message: string, provider: string, facts?: Readonly<Record<string, unknown>>) => void

const pauseMs = (requestedMs: number) =>
  Math.min(Math.max(Number.isNaN(requestedMs) ? 0 : requestedMs, shortestPauseMs), longestPauseMs)

/** A provider in this process is always there; with pull workers, the number of waiting ones shows the capacity. */
const isNeverHeldBack = ({ adapter }: ProviderBinding) => adapter === "builtin" || adapter === "pull"

/** Bindings with the same name may have different addresses. */
const addressOf = ({ name, url = "" }: ProviderBinding): string => `${name} ${url}`

const make = (
  times: ProviderDetails.Times,
  tell: Tell,
  resets: PubSub.PubSub<void>
): ProviderHealth["Service"] => {
  const { now, wall } = times
  const providers = new Map<string, KnownProvider>()
  const unreached = Unreached.make()

  const fail = (binding: ProviderBinding, reason: ConnectionError) => {
    if (unreached.fail(addressOf(binding), reason, now())) {
      tell("A provider cannot be reached: its requests wait", binding.name, { reason })
    }
  }

  /** The counts are from before the outage. */
  const reach = (binding: ProviderBinding): boolean => {
    const at = now()
    if (!unreached.reach(addressOf(binding), at)) return false
    tell("A provider that could not be reached is there again", binding.name)
    const provider = of(binding.name)
    provider.circuit = Circuit.reset(provider.circuit, at)
    provider.openSince = null
    return true
  }

  const newProvider = (): KnownProvider => {
    const ended = none()
    const counting: Watch = {
      asked: () => undefined,
      ended: (outcome) => {
        if (outcome !== null) note(provider, outcomeOf(outcome), messageOf(outcome))
      },
      timedOut: () => note(provider, "timed_out", null)
    }
    const provider: KnownProvider = {
      circuit: Circuit.make(now()),
      pausedUntil: -Infinity,
      pauses: 0,
      ended,
      openSince: null,
      failures: 0,
      lastError: null,
      addresses: new Set(),
      counting
    }
    return provider
  }

  const note = (provider: KnownProvider, outcome: Outcome, message: string | null) => {
    provider.ended[outcome]++
    if (isError(outcome)) provider.lastError = { outcome, message, at: wall() }
  }

  const of = (name: string): KnownProvider => {
    const known = providers.get(name)
    if (known !== undefined) return known
    const provider = newProvider()
    providers.set(name, provider)
    return provider
  }

  const move = (name: string, provider: KnownProvider, to: Circuit.Circuit, at: number) => {
    const from = provider.circuit
    provider.circuit = to
    if (from._tag === to._tag) return
    provider.openSince = to._tag === "Closed" ? null : (provider.openSince ?? wall())
    switch (to._tag) {
      case "Open":
        return tell("A provider fails: no runs begin there for a while", name, {
          for_ms: Math.round(to.until - at)
        })
      case "HalfOpen":
        return tell("A provider that failed is tried again, with one run", name)
      case "Closed":
        return tell("A provider that failed is well again", name)
    }
  }

  const pause = (name: string, provider: KnownProvider, requestedMs: number, at: number) => {
    const until = at + pauseMs(requestedMs)
    provider.pauses++
    // One log line for many runs that are refused together.
    if (provider.pausedUntil <= at) {
      tell("A provider requests a pause", name, { for_ms: Math.round(until - at) })
    }
    provider.pausedUntil = Math.max(provider.pausedUntil, until)
  }

  const watch = (binding: ProviderBinding, provider: KnownProvider): Watch => {
    const { name } = binding
    const { generation } = provider.circuit
    let isOver = false
    let job: WatchedJob | null = null
    const over = (
      outcome: Outcome | null,
      message: string | null,
      { failure = "failed", isHeardOf = false }: Partial<Pick<About, "failure" | "isHeardOf">> = {}
    ) => {
      if (isOver) return
      isOver = true
      const at = now()
      if (outcome !== null) note(provider, outcome, message)
      const sign = outcome === null ? null : signOf(outcome, { failure, isHeardOf, ...keysOf(outcome, job) })
      job = null
      if (sign !== null) provider.failures = sign._tag === "answered" ? 0 : provider.failures + 1
      move(name, provider, Circuit.ended(provider.circuit, generation, sign, at), at)
    }
    return {
      asked: (asked) => {
        job = asked
      },
      ended: (outcome) => {
        if (!isOver && outcome?._tag === "RateLimited") pause(name, provider, outcome.retryAfterMs, now())
        if (!isOver && outcome?._tag === "Unreachable") fail(binding, outcome.reason)
        if (outcome === null) over(null, null)
        else over(outcomeOf(outcome), messageOf(outcome), { failure: failureOf(outcome) })
      },
      timedOut: (isHeardOf) => over("timed_out", null, { isHeardOf })
    }
  }

  const pausedMs = ({ name }: Pick<ProviderBinding, "name">) =>
    Math.max((providers.get(name)?.pausedUntil ?? -Infinity) - now(), 0)

  const reset = (name: string) => {
    const provider = providers.get(name)
    // One without runs here has nothing to forget.
    if (provider === undefined) return
    const at = now()
    for (const address of provider.addresses) unreached.reach(address, at)
    provider.circuit = Circuit.reset(provider.circuit, at)
    provider.openSince = null
    provider.pausedUntil = -Infinity
    provider.failures = 0
    tell("An operator has reset a provider: runs may begin there", name)
    PubSub.publishUnsafe(resets, undefined)
  }

  return {
    pausedMs,
    details: () =>
      [...providers].map(([name, provider]) => ProviderDetails.of(name, provider, { times, unreached })),
    reset,
    resets: Stream.fromPubSub(resets),
    admits: (binding) => {
      const provider = isNeverHeldBack(binding) ? undefined : providers.get(binding.name)
      if (provider === undefined) return Infinity
      const at = now()
      const isAway = provider.pausedUntil > at || unreached.reasonOf(addressOf(binding)) !== null
      return isAway ? 0 : Circuit.admits(provider.circuit, at)
    },
    admitsIn: (binding) => {
      const provider = isNeverHeldBack(binding) ? undefined : providers.get(binding.name)
      if (provider === undefined) return null
      const at = now()
      const probeAt = unreached.probeAt(addressOf(binding))
      if (probeAt !== null) return probeAt > at ? probeAt - at : null
      const admitsAt = Math.max(Circuit.admitsAt(provider.circuit, at) ?? -Infinity, provider.pausedUntil)
      return admitsAt > at ? admitsAt - at : null
    },
    unreachable: (binding) => unreached.reasonOf(addressOf(binding)),
    beginProbe: (binding) => unreached.beginProbe(addressOf(binding), now()),
    probed: (binding, fault) => {
      if (fault === null) return reach(binding)
      if (fault === undefined) unreached.endProbe(addressOf(binding))
      else fail(binding, fault)
      return false
    },
    begin: (binding) => {
      const provider = of(binding.name)
      if (isNeverHeldBack(binding)) return provider.counting
      const at = now()
      provider.addresses.add(addressOf(binding))
      move(binding.name, provider, Circuit.begun(provider.circuit, at), at)
      return watch(binding, provider)
    },
    state: (name) => {
      const { circuit, ended, pausedUntil, pauses } = of(name)
      const at = now()
      return {
        circuit: Circuit.at(circuit, at)._tag,
        pausedMs: Math.max(pausedUntil - at, 0),
        pauses,
        ended
      }
    }
  }
}
