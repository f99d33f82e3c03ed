/** The result of a row: medians over its cycles, and ratios within each cycle. */
import type { Measured } from "./Cycles.ts"
import * as Statistics from "./Statistics.ts"
import type { Measurement, Row, Subject } from "./Subject.ts"

/** A figure of ours, by itself or divided by that of another subject. */
export interface Comparison extends Statistics.Spread {
  readonly name: "" | "p99" | "CPU" | "peak"
  /** Empty for a ratio. */
  readonly unit: "" | "s" | "ms" | "MiB"
  readonly sign: "≥" | "≤"
  readonly target: number | null
  /** `null` without a target. */
  readonly isMet: boolean | null
}

export interface Note {
  readonly name: string
  readonly value: number
  /** The most that is allowed; `null` without a limit. */
  readonly limit: number | null
}

export interface SubjectResult {
  readonly name: string
  readonly role: Subject["role"]
  readonly operationsPerSecond: Statistics.Spread
  /** ms */
  readonly p50: number | null
  readonly p99: number | null
  /** `null` if CPU time cannot be read. */
  readonly operationsPerCpuSecond: number | null
  readonly peakMiB: number | null
  readonly comparisons: ReadonlyArray<Comparison>
  readonly notes: ReadonlyArray<Note>
}

export interface RowResult {
  readonly id: string
  readonly title: string
  readonly unit: string
  readonly cycles: number
  readonly voided: number
  /** How many of `cycles` were disturbed by other processes. */
  readonly disturbed: number
  readonly subjects: ReadonlyArray<SubjectResult>
  readonly missing: ReadonlyArray<{ readonly subject: string; readonly remedy: string }>
}

const rate = ({ elapsedMs, operations }: Measurement): number => (1000 * operations) / elapsedMs

const operationMs = ({ elapsedMs, operations }: Measurement): number => elapsedMs / operations

const p99Of = ({ latencyMs }: Measurement): ReadonlyArray<number> =>
  latencyMs === undefined ? [] : [latencyMs.p99]

const cpuMsOf = ({ cpuMs, operations }: Measurement): ReadonlyArray<number> =>
  cpuMs > 0 ? [cpuMs / operations] : []

const peakMiBOf = ({ peakRssBytes }: Measurement): ReadonlyArray<number> =>
  peakRssBytes > 0 ? [peakRssBytes / 2 ** 20] : []

const median = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : Statistics.spread(values).median

const notesOf = (
  measurements: ReadonlyArray<Measurement>,
  limits: Readonly<Record<string, number>> = {}
): ReadonlyArray<Note> => {
  const names = new Set(measurements.flatMap(({ notes }) => Object.keys(notes ?? {})))
  return Array.from(names, (name) => ({
    name,
    value: median(measurements.flatMap(({ notes }) => notes?.[name] ?? [])) ?? 0,
    limit: limits[name] ?? null
  }))
}

type Kind = Pick<Comparison, "name" | "unit" | "sign">

const compared = (
  { name, sign, unit }: Kind,
  values: ReadonlyArray<number>,
  target: number | undefined
): ReadonlyArray<Comparison> => {
  if (values.length === 0) return []
  const found = Statistics.spread(values)
  if (target === undefined) return [{ name, unit, sign, ...found, target: null, isMet: null }]
  const isMet = sign === "≥" ? found.median >= target : found.median <= target
  return [{ name, unit, sign, ...found, target, isMet }]
}

/** Within each cycle. Empty unless every cycle has both. */
const ratios = (ours: ReadonlyArray<number>, theirs: ReadonlyArray<number>): ReadonlyArray<number> =>
  ours.length === theirs.length ? ours.map((value, cycle) => value / (theirs[cycle] ?? Number.NaN)) : []

const ratesCompared = (
  { cpuTargets = {}, p99Targets = {}, peakTargets = {}, targets }: Row,
  name: string,
  ours: ReadonlyArray<Measurement>,
  theirs: ReadonlyArray<Measurement>
): ReadonlyArray<Comparison> => {
  const ratio = (kind: Omit<Kind, "unit">, values: typeof p99Of, target: number | undefined) =>
    compared({ ...kind, unit: "" }, ratios(ours.flatMap(values), theirs.flatMap(values)), target)
  return [
    ...ratio({ name: "", sign: "≥" }, (measurement) => [rate(measurement)], targets[name]),
    ...(p99Targets[name] === undefined ? [] : ratio({ name: "p99", sign: "≤" }, p99Of, p99Targets[name])),
    ...(peakTargets[name] === undefined
      ? []
      : ratio({ name: "peak", sign: "≤" }, peakMiBOf, peakTargets[name])),
    ...(cpuTargets[name] === undefined ? [] : ratio({ name: "CPU", sign: "≤" }, cpuMsOf, cpuTargets[name]))
  ]
}

const limitsCompared = (
  { limits = {} }: Row,
  ours: ReadonlyArray<Measurement>
): ReadonlyArray<Comparison> => {
  const limited = (kind: Omit<Kind, "sign">, values: ReadonlyArray<number>, limit: number | undefined) =>
    limit === undefined ? [] : compared({ ...kind, sign: "≤" }, values, limit)
  const { operationMs: mostMs, p99Ms, peakMiB } = limits
  const seconds = ours.map((measurement) => operationMs(measurement) / 1_000)
  return [
    ...limited({ name: "", unit: "s" }, seconds, mostMs === undefined ? undefined : mostMs / 1_000),
    ...limited({ name: "p99", unit: "ms" }, ours.flatMap(p99Of), p99Ms),
    ...limited({ name: "peak", unit: "MiB" }, ours.flatMap(peakMiBOf), peakMiB)
  ]
}

/** Requires at least one cycle. */
export const ofRow = (row: Row, { cycles, disturbed, missing, subjects, voided }: Measured): RowResult => {
  const measured = (subject: Subject | undefined) =>
    subject === undefined ? [] : cycles.flatMap((cycle) => cycle.get(subject.name) ?? [])
  const ours = measured(subjects.find(({ role }) => role === "ours"))

  const ofSubject = (subject: Subject): SubjectResult => {
    const own = measured(subject)
    const cpuMs = median(own.flatMap(cpuMsOf))
    const isOurs = subject.role === "ours"
    return {
      name: subject.name,
      role: subject.role,
      operationsPerSecond: Statistics.spread(own.map(rate)),
      p50: median(own.flatMap(({ latencyMs }) => latencyMs?.p50 ?? [])),
      p99: median(own.flatMap(p99Of)),
      operationsPerCpuSecond: cpuMs === null ? null : 1000 / cpuMs,
      peakMiB: median(own.flatMap(peakMiBOf)),
      comparisons: isOurs ? limitsCompared(row, own) : ratesCompared(row, subject.name, ours, own),
      notes: notesOf(own, isOurs ? row.limits?.notes : undefined)
    }
  }

  return {
    id: row.id,
    title: row.title,
    unit: row.unit,
    cycles: cycles.length,
    voided,
    disturbed,
    subjects: subjects.map(ofSubject),
    missing: missing.map(({ remedy, subject }) => ({ subject, remedy }))
  }
}
