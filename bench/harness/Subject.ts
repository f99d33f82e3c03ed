/**
 * What is measured: ours, a floor (the least that keeps the same promise), or a peer (another product). Subjects of one row
 * are measured in turn, some seconds each, cycle after cycle, so that a ratio is between neighbours in time.
 */
import type { Effect, Scope } from "effect"
import { Schema } from "effect"

export interface Measurement {
  /** What was done, in the row's unit (requests, events, …). */
  readonly operations: number
  /** Wall time it took, ms. */
  readonly elapsedMs: number
  /** Of single operations, ms; absent where they are not told apart. */
  readonly latencyMs?: { readonly p50: number; readonly p99: number }
  /** CPU time of the subject's processes (not of the load's), ms. */
  readonly cpuMs: number
  /** Highest resident memory of the subject's processes so far, bytes. */
  readonly peakRssBytes: number
  /** Further figures of the row by what they are, unit included; shown as the median over the cycles. */
  readonly notes?: Readonly<Record<string, number>>
}

/** A subject that has been started and warmed up; it lives as long as its scope. */
export interface Started {
  /** Measures once, for about `seconds`. */
  readonly measure: (seconds: number) => Effect.Effect<Measurement, BenchFailed>
}

export interface Subject {
  readonly name: string
  readonly role: "ours" | "floor" | "peer"
  readonly start: Effect.Effect<Started, BenchFailed | Unavailable, Scope.Scope>
}

/** Something measured gave a wrong answer or ended: the row is void. */
export class BenchFailed extends Schema.TaggedError<BenchFailed>()("BenchFailed", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** A peer that cannot be had on this machine; `remedy` is the command that brings it. The row is run without it. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  subject: Schema.String,
  remedy: Schema.String
}) {
  override get message(): string {
    return `${this.subject} is not installed: ${this.remedy}`
  }
}

export interface Row {
  /** `T1`… as in docs/benchmarks.md. */
  readonly id: string
  readonly title: string
  /** Of `operations`, plural. */
  readonly unit: string
  readonly subjects: ReadonlyArray<Subject>
  /** Least ratio ours / subject by name of the subject, where there is a target. */
  readonly targets: Readonly<Record<string, number>>
  /** Most ratio of p99, ours / subject, likewise. */
  readonly p99Targets?: Readonly<Record<string, number>>
  /** Most that one operation of ours may take, ms, where the target is a time. */
  readonly maxMs?: number
}
