/** What live nodes have reported, as the facts of `HeldUp`. */
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { HeardNode } from "#src/platform/cluster/NodeReports.ts"
import type { WorkerView } from "../FleetViews.ts"
import * as Reported from "../Reported.ts"
import type * as HeldUp from "./HeldUp.ts"

export const node = (heard: HeardNode): HeldUp.NodeFacts => {
  const report = Reported.nodeOf(heard)
  return {
    isReady: report?.isServing === true,
    unwell: (report?.reasons ?? []).map((code, index) => ({ code, since: report?.since?.[index] ?? null }))
  }
}

const errorOf = ({ lastError }: typeof Reported.Provider.Type): string | null => {
  if (lastError === null) return null
  return lastError.message === null ? lastError.outcome : `${lastError.outcome}: ${lastError.message}`
}

const seen = (report: typeof Reported.Provider.Type): HeldUp.SeenProvider => ({
  circuit: report.circuit,
  heldSince: report.heldSince ?? null,
  nextTryAt: report.nextTryAt,
  pausedUntil: report.pausedUntil,
  unreachable: report.unreachable,
  hasCredential: report.hasCredential,
  lastError: errorOf(report)
})

/** @param limits `ProviderLimits` */
export const providers = (live: ReadonlyArray<HeardNode>, limits: ReadonlyMap<string, number>) => {
  const reported = live.map(
    (heard) => new Map((Reported.providersOf(heard) ?? []).map((one) => [one.name, one]))
  )
  return ({ adapter, name }: ProviderBinding): HeldUp.ProviderFacts => {
    const limit = limits.get(name) ?? Infinity
    const found = reported.map((known) => known.get(name))
    return {
      name,
      isForWorkers: adapter === "pull",
      concurrency: Number.isFinite(limit) ? limit : null,
      runs: found.reduce((sum, one) => sum + (one?.runs ?? 0), 0),
      nodes: found.map((one) => (one === undefined ? null : seen(one)))
    }
  }
}

/** Whether the worker takes jobs of the model, as far as it names its models. */
const takes =
  (endpoint: string) =>
  ({ state, worker }: WorkerView): boolean =>
    state !== "gone" && (worker.models === null || worker.models.includes(endpoint))

export const hasWorker = (workers: ReadonlyArray<WorkerView>, endpoint: string): boolean =>
  workers.some(takes(endpoint))

/** Calls that wait for a job of the model. */
export const idleWorkers = (workers: ReadonlyArray<WorkerView>, endpoint: string): number =>
  workers.filter(takes(endpoint)).reduce((sum, { worker }) => sum + worker.waiting, 0)
