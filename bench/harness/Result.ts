/** The result of a row: medians over its cycles, and ratios within each cycle. */
import type { Measured } from "./Cycles.ts"
import * as Statistics from "./Statistics.ts"
import type { Measurement, Row, Subject } from "./Subject.ts"

export interface Ratio extends Statistics.Spread {
  readonly target: number | null
  /** `null` without a target. */
  readonly isMet: boolean | null
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
  /** Our rate / this subject's rate; `null` for ours. */
  readonly ratio: Ratio | null
  /** Our p99 / this subject's p99; `null` without a target. */
  readonly p99Ratio: Ratio | null
  /** Our time per operation, ms; `null` without a target. */
  readonly operationMs: Ratio | null
  readonly notes: Readonly<Record<string, number>>
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

const median = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : Statistics.spread(values).median

const notesOf = (measurements: ReadonlyArray<Measurement>): Record<string, number> => {
  const names = new Set(measurements.flatMap(({ notes }) => Object.keys(notes ?? {})))
  return Object.fromEntries(
    Array.from(names, (name) => [name, median(measurements.flatMap(({ notes }) => notes?.[name] ?? [])) ?? 0])
  )
}

/** Ratios of the cycles that have both subjects. */
const ratio = (
  ours: ReadonlyArray<number>,
  theirs: ReadonlyArray<number>,
  target: number | undefined,
  isMet: (median: number, target: number) => boolean
): Ratio | null => {
  if (ours.length === 0 || ours.length !== theirs.length) return null
  const found = Statistics.spread(ours.map((value, cycle) => value / (theirs[cycle] ?? Number.NaN)))
  return {
    ...found,
    target: target ?? null,
    isMet: target === undefined ? null : isMet(found.median, target)
  }
}

const time = (ours: ReadonlyArray<number>, target: number): Ratio => {
  const found = Statistics.spread(ours)
  return { ...found, target, isMet: found.median <= target }
}

/** Requires at least one cycle. */
export const ofRow = (row: Row, { cycles, disturbed, missing, subjects, voided }: Measured): RowResult => {
  const measured = (subject: Subject | undefined) =>
    subject === undefined ? [] : cycles.flatMap((cycle) => cycle.get(subject.name) ?? [])
  const ours = measured(subjects.find(({ role }) => role === "ours"))
  const p99s = (measurements: ReadonlyArray<Measurement>) =>
    measurements.flatMap(({ latencyMs }) => latencyMs?.p99 ?? [])

  const ofSubject = (subject: Subject): SubjectResult => {
    const own = measured(subject)
    const p99Target = row.p99Targets?.[subject.name]
    return {
      name: subject.name,
      role: subject.role,
      operationsPerSecond: Statistics.spread(own.map(rate)),
      p50: median(own.flatMap(({ latencyMs }) => latencyMs?.p50 ?? [])),
      p99: median(p99s(own)),
      operationsPerCpuSecond: median(
        own.flatMap(({ cpuMs, operations }) => (cpuMs > 0 ? (1000 * operations) / cpuMs : []))
      ),
      peakMiB: median(own.flatMap(({ peakRssBytes }) => (peakRssBytes > 0 ? peakRssBytes / 2 ** 20 : []))),
      ratio:
        subject.role === "ours"
          ? null
          : ratio(ours.map(rate), own.map(rate), row.targets[subject.name], (found, least) => found >= least),
      p99Ratio:
        p99Target === undefined
          ? null
          : ratio(p99s(ours), p99s(own), p99Target, (found, most) => found <= most),
      operationMs:
        row.maxMs === undefined || subject.role !== "ours" ? null : time(own.map(operationMs), row.maxMs),
      notes: notesOf(own)
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
