/** Formats a run as a Markdown table with notes. */
import type { Machine } from "./Machine.ts"
import type { Comparison, Note, RowResult, SubjectResult } from "./Result.ts"

export interface Run {
  readonly machine: Machine
  readonly secondsPerMeasurement: number
  readonly peers: boolean
  readonly rows: ReadonlyArray<RowResult>
  readonly failed: ReadonlyArray<{ readonly id: string; readonly title: string; readonly reason: string }>
}

const number = (value: number): string => {
  if (value >= 100) return Math.round(value).toLocaleString("en-US")
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

const numberOrNone = (value: number | null): string => (value === null ? "–" : number(value))

const worded = (...words: ReadonlyArray<string>): string => words.filter((word) => word !== "").join(" ")

const figure = ({ max, median, min, name, unit }: Comparison): string => {
  const shown = (value: number) => (unit === "MiB" ? number(value) : value.toFixed(2))
  return worded(name, `**${shown(median)}** (${shown(min)}–${shown(max)})`, unit)
}

const met = (isMet: boolean): string => (isMet ? "met" : "**missed**")

const verdict = ({ isMet, name, sign, target, unit }: Comparison): string =>
  target === null ? "" : worded(name, unit, sign, String(target), met(isMet === true))

const cells = (row: RowResult, subject: SubjectResult, isFirst: boolean): ReadonlyArray<string> => [
  isFirst ? `${row.id} ${row.title}` : "",
  subject.name,
  `${number(subject.operationsPerSecond.median)} ${row.unit}`,
  numberOrNone(subject.p50),
  numberOrNone(subject.p99),
  numberOrNone(subject.operationsPerCpuSecond),
  numberOrNone(subject.peakMiB),
  subject.comparisons.map(figure).join("; "),
  subject.comparisons.map(verdict).join("; ")
]

const header = [
  "Row",
  "Subject",
  "per second",
  "p50 ms",
  "p99 ms",
  "per CPU second",
  "peak MiB",
  "ours ÷ subject",
  "target"
]

const line = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const remark = (subject: string, { limit, name, value }: Note): string =>
  `  - ${subject}: ${name}: ${number(value)}${limit === null ? "" : ` (≤ ${limit} ${met(value <= limit)})`}`

const remarks = ({ cycles, disturbed, id, missing, subjects, title, voided }: RowResult) => [
  subjects.length === 0
    ? `- ${id} ${title}: left out.`
    : `- ${id} ${title}: ${cycles} cycles, ${voided} voided.` +
      (disturbed === 0 ? "" : ` **Disturbed among them: ${disturbed}. This is no result.**`),
  ...subjects.flatMap(({ name, notes }) => notes.map((note) => remark(name, note))),
  ...new Set(missing.map(({ remedy, subject }) => `  - ${subject} is not installed: \`${remedy}\``))
]

export const markdown = ({ failed, machine, rows, secondsPerMeasurement }: Run): string => {
  const { commit, cores, cpu, date, kernel, memoryMiB, node } = machine
  const where = `${cpu}, ${cores} cores, ${number(memoryMiB)} MiB, ${kernel}, Node ${node}`
  return [
    `${where}; ${date}${commit === null ? "" : `, commit ${commit}`}; ${secondsPerMeasurement} s a measurement.`,
    "",
    line(header),
    line(header.map((_, column) => (column < 2 ? "---" : "---:"))),
    ...rows.flatMap((row) => row.subjects.map((subject, index) => line(cells(row, subject, index === 0)))),
    "",
    ...rows.flatMap(remarks),
    ...failed.map(({ id, reason, title }) => `- ${id} ${title}: **void**: ${reason}`),
    ""
  ].join("\n")
}
