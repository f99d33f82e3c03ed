/** Nodes, workers and providers, as operators see them. */
import { Schema } from "effect"
import type * as Reported from "./Reported.ts"

/** `unknown`: it does not report, because it is of another release. */
export const NodeState = Schema.Literals(["ready", "starting", "unwell", "gone", "unknown"])

export interface NodeView {
  readonly name: string
  /** Whether it is the node that answers. */
  readonly isSelf: boolean
  readonly state: typeof NodeState.Type
  readonly startedAt: number | null
  readonly heardAt: number
  /** What it reported last; `null` without a report. */
  readonly report: typeof Reported.Node.Type | null
}

export const WorkerState = Schema.Literals(["working", "waiting", "between", "gone"])

export interface WorkerView {
  /** The node that it calls. A worker that calls several is listed for each. */
  readonly node: string
  /** `between`: it has called within ten seconds. */
  readonly state: typeof WorkerState.Type
  readonly worker: typeof Reported.Worker.Type
}

export interface ProviderView {
  readonly name: string
  readonly adapters: ReadonlyArray<string>
  /** Endpoints of the models that can run there, with withdrawn ones whose requests still wait or run. */
  readonly models: ReadonlyArray<string>
  /** Runs that it may have over all nodes, by its own limit; `null` without one. */
  readonly concurrency: number | null
  /** The nodes that have had runs there, or have no credential for it. For all others it is closed. */
  readonly nodes: ReadonlyArray<{ readonly node: string; readonly report: typeof Reported.Provider.Type }>
}
