/** What operators see of nodes, connected workers, providers, and the demand for models. */
import { Schema } from "effect"
import type { ModelDemand } from "#src/features/demand/Demand.ts"
import {
  type NodeView,
  NodeState,
  type ProviderView,
  WorkerState,
  type WorkerView
} from "#src/features/fleet/FleetViews.ts"
import * as UnhealthyReasons from "#src/platform/health/UnhealthyReasons.ts"
import { Time, TimeOrNull } from "../Wire.ts"
import * as Reported from "#src/features/fleet/Reported.ts"

export const ListedNode = Schema.Struct({
  nodeId: Schema.String,
  /** Whether it is the node that answers. */
  isSelf: Schema.Boolean,
  state: NodeState,
  /** Why it is `unwell`: codes of `/health`. */
  reasons: Schema.Array(Schema.String),
  /** The same with what they mean, and since when they apply. */
  health: Schema.Array(Schema.Struct({ code: Schema.String, message: Schema.String, since: TimeOrNull })),
  release: Schema.NullOr(Schema.String),
  address: Schema.NullOr(Schema.String),
  startedAt: TimeOrNull,
  lastHeartbeatAt: Time,
  runs: Schema.NullOr(Schema.Int),
  /** Those with runs. `share`: the node's part of the model's concurrency. */
  models: Schema.Array(Reported.ModelRuns),
  /** Events that each read model is behind the log. */
  projections: Schema.Array(Reported.ProjectionLag)
})
export type ListedNode = typeof ListedNode.Type

export const listedNode = ({ heardAt, isSelf, name, report, startedAt, state }: NodeView): ListedNode => ({
  nodeId: name,
  isSelf,
  state,
  reasons: report?.reasons ?? [],
  health: (report?.reasons ?? []).map((code, index) => ({
    code,
    message: UnhealthyReasons.messageOf(code),
    since: report?.since?.[index] ?? null
  })),
  release: report?.release ?? null,
  address: report?.address ?? null,
  startedAt,
  lastHeartbeatAt: heardAt,
  runs: report?.runs ?? null,
  models: report?.models ?? [],
  projections: report?.projections ?? []
})

export const ConnectedWorker = Schema.Struct({
  keyId: Schema.String,
  workerId: Schema.NullOr(Schema.String),
  version: Schema.NullOr(Schema.String),
  state: WorkerState,
  /** The node that it calls. */
  nodeId: Schema.String,
  /** That it asks for; `null`: all that its key allows. */
  models: Schema.NullOr(Schema.Array(Schema.String)),
  /** Calls that wait for a job. */
  waiting: Schema.Int,
  /** Jobs in hand. */
  jobs: Schema.Int,
  lastPollAt: Time,
  lastCallAt: Time
})
export type ConnectedWorker = typeof ConnectedWorker.Type

export const connectedWorker = ({ node, state, worker }: WorkerView): ConnectedWorker => ({
  keyId: worker.keyId,
  workerId: worker.id,
  version: worker.version,
  state,
  nodeId: node,
  models: worker.models,
  waiting: worker.waiting,
  jobs: worker.jobs,
  lastPollAt: worker.lastPollAt,
  lastCallAt: worker.lastCallAt
})

const ProviderOnNode = Schema.Struct({
  nodeId: Schema.String,
  circuit: Schema.Literals(["closed", "half_open", "open"]),
  /** Why no run begins, or the last error; `null` without either. A word, or a text of the provider without credential and address. */
  why: Schema.NullOr(Schema.String),
  /** Failures since the last answer. */
  failures: Schema.Int,
  /** Since when no run, or one at a time, may begin, because it fails or cannot be reached; `null` while any may. */
  heldSince: TimeOrNull,
  lastErrorAt: TimeOrNull,
  pausedUntil: TimeOrNull,
  nextTryAt: TimeOrNull,
  runs: Schema.Int
})

export const ListedProvider = Schema.Struct({
  name: Schema.String,
  adapters: Schema.Array(Schema.String),
  /** At most 20 of `modelCount`. */
  models: Schema.Array(Schema.String),
  modelCount: Schema.Int,
  concurrency: Schema.NullOr(Schema.Int),
  /** That had runs there, or have no credential for it. */
  nodes: Schema.Array(ProviderOnNode)
})
export type ListedProvider = typeof ListedProvider.Type

const mostModels = 20

const circuits = { Closed: "closed", HalfOpen: "half_open", Open: "open" } as const

const whyOf = ({ hasCredential, lastError, unreachable }: typeof Reported.Provider.Type): string | null => {
  if (!hasCredential) return "credential_missing"
  if (unreachable !== null) return unreachable
  if (lastError === null) return null
  return lastError.message === null ? lastError.outcome : `${lastError.outcome}: ${lastError.message}`
}

export const listedProvider = ({
  adapters,
  concurrency,
  models,
  name,
  nodes
}: ProviderView): ListedProvider => ({
  name,
  adapters,
  models: models.slice(0, mostModels),
  modelCount: models.length,
  concurrency,
  nodes: nodes.map(({ node, report }) => ({
    nodeId: node,
    circuit: circuits[report.circuit],
    why: whyOf(report),
    failures: report.failures,
    heldSince: report.heldSince ?? null,
    lastErrorAt: report.lastError?.at ?? null,
    pausedUntil: report.pausedUntil,
    nextTryAt: report.nextTryAt,
    runs: report.runs
  }))
})

/** `demand` is the sum of the others: the number for autoscalers. */
export const ListedDemand = Schema.Struct({
  model: Schema.String,
  queued: Schema.Int,
  running: Schema.Int,
  demand: Schema.Int
})

export const listedDemand = (model: string, { queued, running }: ModelDemand): typeof ListedDemand.Type => ({
  model,
  queued,
  running,
  demand: queued + running
})
