/** Formats a run as a Markdown table with notes. */
import type { Machine } from "./Machine.ts"
import type { Ratio, RowResult, SubjectResult } from "./Result.ts"

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

const ratio = ({ max, median, min }: Ratio): string =>
  `**${median.toFixed(2)}** (${min.toFixed(2)}–${max.toFixed(2)})`

const verdict = ({ isMet, target }: Ratio, sign: string): string =>
  target === null ? "" : `${sign} ${target} ${isMet === true ? "met" : "**missed**"}`

const seconds = ({ isMet, max, median, min, target }: Ratio): Ratio => ({
  median: median / 1_000,
  min: min / 1_000,
  max: max / 1_000,
  target: target === null ? null : target / 1_000,
  isMet
})

const cells = (row: RowResult, subject: SubjectResult, isFirst: boolean): ReadonlyArray<string> => {
  const { p99Ratio, ratio: rateRatio } = subject
  const time = subject.operationMs === null ? null : seconds(subject.operationMs)
  return [
    isFirst ? `${row.id} ${row.title}` : "",
    subject.name,
    `${number(subject.operationsPerSecond.median)} ${row.unit}`,
    numberOrNone(subject.p50),
    numberOrNone(subject.p99),
    numberOrNone(subject.operationsPerCpuSecond),
    numberOrNone(subject.peakMiB),
    [
      ...(rateRatio === null ? [] : [ratio(rateRatio)]),
      ...(p99Ratio === null ? [] : [`p99 ${ratio(p99Ratio)}`]),
      ...(time === null ? [] : [`${ratio(time)} s`])
    ].join("; "),
    [
      ...(rateRatio === null ? [] : [verdict(rateRatio, "≥")]),
      ...(p99Ratio === null ? [] : [verdict(p99Ratio, "p99 ≤")]),
      ...(time === null ? [] : [verdict(time, "s ≤")])
    ].join("; ")
  ]
}

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

const remarks = ({ cycles, disturbed, id, missing, subjects, title, voided }: RowResult) => [
  subjects.length === 0
    ? `- ${id} ${title}: left out.`
    : `- ${id} ${title}: ${cycles} cycles, ${voided} voided.` +
      (disturbed === 0 ? "" : ` **Disturbed among them: ${disturbed}. This is no result.**`),
  ...subjects.flatMap(({ name, notes }) =>
    Object.entries(notes).map(([what, value]) => `  - ${name}: ${what}: ${number(value)}`)
  ),
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
