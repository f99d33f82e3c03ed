/** Why the requests of a model wait, from what nodes have reported. Pure. Times are Unix ms. */
import { Schema } from "effect"

/**
 * `model_unknown`: no definition of the model is known. `no_node`: no node is ready. `node_unwell`: the queue of each ready node stands still (`detail`: codes of `/health`).
 * Of a provider: `credential_missing`, `provider_unreachable` (`detail`: why no connection can be made), `circuit_open` (it
 * failed too often), `circuit_trial` (one run tries whether it is well), `provider_paused` (it asked for a pause),
 * `no_worker`, `workers_busy`, `provider_limit`. `model_limit`: as many runs are under way as the model may have.
 * `retry_later`: the requests have failed before and are not due yet. `unexplained`: a due request waits, and none of these
 * holds.
 */
export const Cause = Schema.Literals([
  "model_unknown",
  "no_node",
  "node_unwell",
  "credential_missing",
  "provider_unreachable",
  "circuit_open",
  "circuit_trial",
  "provider_paused",
  "no_worker",
  "workers_busy",
  "provider_limit",
  "model_limit",
  "retry_later",
  "unexplained"
])
export type Cause = typeof Cause.Type

export interface Reason {
  readonly cause: Cause
  /** The provider that it is about; `null` for none. */
  readonly provider: string | null
  /** Since when; `null` where it is not known. */
  readonly since: number | null
  /** When it ends, or the next run is tried, by itself; `null` where that depends on someone. */
  readonly until: number | null
  /** A word, or a text of the provider without credential and address; `null` without one. */
  readonly detail: string | null
}

/** A provider as a live node sees it. */
export interface SeenProvider {
  readonly circuit: "Closed" | "HalfOpen" | "Open"
  readonly heldSince: number | null
  readonly nextTryAt: number | null
  readonly pausedUntil: number | null
  readonly unreachable: string | null
  readonly hasCredential: boolean
  readonly lastError: string | null
}

export interface ProviderFacts {
  readonly name: string
  /** Its jobs are taken by workers. */
  readonly isForWorkers: boolean
  /** Runs that it may have over all nodes; `null` without a limit. */
  readonly concurrency: number | null
  readonly runs: number
  /** By live nodes; `null` for a node where nothing is known against it. */
  readonly nodes: ReadonlyArray<SeenProvider | null>
}

export interface ModelFacts {
  readonly queued: number
  readonly running: number
  /** When the first of the waiting requests is due, or became due; `null` without one. */
  readonly firstDueAt: number | null
  readonly concurrency: number
  readonly providers: ReadonlyArray<ProviderFacts>
  /** Whether a worker of any node asks for jobs of the model, or works on one. */
  readonly hasWorker: boolean
  /** Calls of workers that wait for a job. */
  readonly idleWorkers: number
}

/** A live node. */
export interface NodeFacts {
  readonly isReady: boolean
  /** Codes of `/health` that apply, and since when. */
  readonly unwell: ReadonlyArray<{ readonly code: string; readonly since: number | null }>
}

/** A request that has been due for less is being dispatched, ms. */
const patienceMs = 3_000

const reason = (cause: Cause, more: Partial<Reason> = {}): Reason => ({
  cause,
  provider: null,
  since: null,
  until: null,
  detail: null,
  ...more
})

const earliest = (times: ReadonlyArray<number | null>): number | null => {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** The codes of `/health` with which a node runs nothing. */
const stops = new Set(["queue_stopped", "queue_stalled", "queue_building", "dispatcher_stalled"])

/** Why no node runs anything; `null` if one may. */
const ofNodes = (nodes: ReadonlyArray<NodeFacts>): Reason | null => {
  const ready = nodes.filter(({ isReady }) => isReady)
  if (ready.length === 0) return reason("no_node")
  const still = ready.map(({ unwell }) => unwell.filter(({ code }) => stops.has(code)))
  if (still.some((codes) => codes.length === 0)) return null
  const all = still.flat()
  return reason("node_unwell", {
    since: earliest(all.map(({ since }) => since)),
    detail: [...new Set(all.map(({ code }) => code))].join(", ")
  })
}

/** What is against a provider at one node; `null` if a run may begin. */
const atNode = (name: string, seen: SeenProvider, now: number): Reason | null => {
  const { circuit, hasCredential, heldSince, lastError, nextTryAt, pausedUntil, unreachable } = seen
  const at = { provider: name, since: heldSince, until: nextTryAt, detail: lastError }
  if (!hasCredential) return reason("credential_missing", { provider: name })
  if (unreachable !== null) return reason("provider_unreachable", { ...at, detail: unreachable })
  if (circuit === "Open") return reason("circuit_open", at)
  if (circuit === "HalfOpen" && nextTryAt !== null) return reason("circuit_trial", at)
  if (pausedUntil === null || pausedUntil <= now) return null
  return reason("provider_paused", { ...at, since: null, until: pausedUntil })
}

/** What is against a provider at all nodes: the causes of the first, for the longest and until the earliest time of any. */
const atAllNodes = ({ name, nodes }: ProviderFacts, now: number): Reason | null => {
  const found = nodes.map((seen) => (seen === null ? null : atNode(name, seen, now)))
  const [first] = found
  if (first === undefined || first === null) return null
  const same = found.filter((one) => one !== null)
  if (same.length < found.length) return null
  return {
    ...first,
    since: earliest(same.map(({ since }) => since)),
    until: earliest(same.map(({ until }) => until))
  }
}

const ofProvider = (facts: ProviderFacts, model: ModelFacts, now: number): Reason | null => {
  const { concurrency, isForWorkers, name, runs } = facts
  const held = atAllNodes(facts, now)
  if (held !== null) return held
  if (isForWorkers && !model.hasWorker) return reason("no_worker", { provider: name })
  if (isForWorkers && model.idleWorkers === 0) return reason("workers_busy", { provider: name })
  return concurrency !== null && runs >= concurrency
    ? reason("provider_limit", { provider: name, detail: String(concurrency) })
    : null
}

/** Reasons that are about the model alone. */
const ofModel = ({ concurrency, running }: ModelFacts): ReadonlyArray<Reason> =>
  running >= concurrency ? [reason("model_limit", { detail: String(concurrency) })] : []

/** With one of these nothing runs, whatever the limits are. The others end with the runs under way. */
const blocking = new Set<Cause>([
  "credential_missing",
  "provider_unreachable",
  "circuit_open",
  "circuit_trial",
  "provider_paused",
  "no_worker"
])

/** For a model that this node has no definition of, current or withdrawn. */
export const ofUnknown = (queued: number): ReadonlyArray<Reason> =>
  queued === 0 ? [] : [reason("model_unknown")]

/**
 * The reasons why the requests of a model wait, the first one first to see to. Empty if none waits, or if they are being
 * dispatched.
 */
export const ofQueue = (
  model: ModelFacts,
  nodes: ReadonlyArray<NodeFacts>,
  now: number
): ReadonlyArray<Reason> => {
  if (model.queued === 0) return []
  const everywhere = ofNodes(nodes)
  if (everywhere !== null) return [everywhere]
  const providers = model.providers.map((facts) => ofProvider(facts, model, now))
  const against = providers.filter((one) => one !== null)
  const isHeld = against.length === providers.length && against.some(({ cause }) => blocking.has(cause))
  if (isHeld) return [...against, ...ofModel(model)]
  const { firstDueAt } = model
  if (firstDueAt !== null && firstDueAt > now) return [reason("retry_later", { until: firstDueAt })]
  const full = [...ofModel(model), ...(against.length === providers.length ? against : [])]
  if (full.length > 0) return full
  return firstDueAt !== null && now - firstDueAt >= patienceMs
    ? [reason("unexplained", { since: firstDueAt }), ...against]
    : []
}
