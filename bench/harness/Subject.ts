/**
 * A measured subject: ours, a floor (a minimal program with the same guarantee), or a peer (another product). The subjects of
 * a row are measured in turn for some seconds each, in cycles, so that a ratio compares measurements close in time.
 */
import type { Effect, Scope } from "effect"
import { Schema } from "effect"

export interface Measurement {
  /** Number of operations in the row's unit (requests, events, …). */
  readonly operations: number
  /** Wall time of all operations, ms. */
  readonly elapsedMs: number
  /** Latency of single operations, ms; absent if they are not measured separately. */
  readonly latencyMs?: { readonly p50: number; readonly p99: number }
  /** CPU time of the subject's processes, without the load generator's, ms. */
  readonly cpuMs: number
  /** Peak resident memory of the subject's processes so far, bytes. */
  readonly peakRssBytes: number
  /** Further figures by name with unit; the report shows their median over the cycles. */
  readonly notes?: Readonly<Record<string, number>>
}

/** A started and warmed-up subject, which lives as long as its scope. */
export interface Started {
  /** Measures once, for about `seconds`. */
  readonly measure: (seconds: number) => Effect.Effect<Measurement, BenchFailed>
}

export interface Subject {
  readonly name: string
  readonly role: "ours" | "floor" | "peer"
  readonly start: Effect.Effect<Started, BenchFailed | Unavailable, Scope.Scope>
}

/** A subject gave a wrong answer or ended: the row is void. */
export class BenchFailed extends Schema.TaggedError<BenchFailed>()("BenchFailed", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** A peer that is not installed; `remedy` is the command that installs it. The row runs without it. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  subject: Schema.String,
  remedy: Schema.String
}) {
  override get message(): string {
    return `${this.subject} is not installed: ${this.remedy}`
  }
}

interface Limits {
  /** Time of one operation, ms. */
  readonly operationMs?: number
  /** ms */
  readonly p99Ms?: number
  /** Peak resident memory, MiB. */
  readonly peakMiB?: number
  /** Notes by name. */
  readonly notes?: Readonly<Record<string, number>>
}

export interface Row {
  /** `T1`… as in docs/benchmarks.md. */
  readonly id: string
  readonly title: string
  /** Unit of `operations`, plural. */
  readonly unit: string
  readonly subjects: ReadonlyArray<Subject>
  /** Minimum ratio ours / subject by name of the subject, if there is a target. */
  readonly targets: Readonly<Record<string, number>>
  /** Maximum ratio of p99, ours / subject, if there is a target. */
  readonly p99Targets?: Readonly<Record<string, number>>
  /** Maximum ratio of CPU time per operation, ours / subject, if there is a target. */
  readonly cpuTargets?: Readonly<Record<string, number>>
  /** Maximum ratio of peak resident memory, ours / subject, if there is a target. */
  readonly peakTargets?: Readonly<Record<string, number>>
  /** What ours may reach at most, whatever the other subjects do. */
  readonly limits?: Limits
}
