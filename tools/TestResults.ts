/** `node tools/TestResults.ts FILE…` sums up the JSON reports of several runs in one line, and fails if a test failed or a run is missing. */
import * as fs from "node:fs"

/** What is read of a report of Vitest. */
export interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTotalTests: number
  readonly success: boolean
}

/** A run that failed without a failed test counts as one: a file that cannot be loaded, an error outside of tests, no tests. */
const failedIn = (report: Report | null): number =>
  report === null
    ? 1
    : report.numFailedTests > 0
      ? report.numFailedTests
      : report.success && report.numTotalTests > 0
        ? 0
        : 1

/** @param reports `null` for a run that left none. */
export const sum = (
  reports: ReadonlyArray<Report | null>
): { readonly line: string; readonly failed: number } => {
  const add = (count: (report: Report) => number) =>
    reports.reduce((sum, report) => sum + (report === null ? 0 : count(report)), 0)
  const failed = reports.reduce((sum, report) => sum + failedIn(report), 0)
  const skipped = add((report) => report.numPendingTests)
  const line = `${add((report) => report.numPassedTests)} passed, ${failed} failed`
  return { line: skipped > 0 ? `${line}, ${skipped} skipped` : line, failed }
}

const read = (file: string): Report | null =>
  fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : null

if (import.meta.main) {
  const { failed, line } = sum(process.argv.slice(2).map(read))
  process.stdout.write(`${line}\n`)
  if (failed > 0) process.exitCode = 1
}
