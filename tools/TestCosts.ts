/**
 * `node tools/TestCosts.ts` runs all tests (`daily`, `all` or `release` chooses others), records the CPU seconds that each file takes,
 * and writes them into `docs/contributors/test-costs.tsv`, beside those of the commit that the table compares with. It prints the sum of each
 * group and the dearest files with their reasons (`@cost`). `--baseline` makes the new figures those to compare with.
 *
 * On Linux only, which counts the CPU of ended child processes. What a group shares (its servers, one browser) counts for no file.
 */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as TestFiles from "./TestFiles.ts"

/** What one file took, in seconds. `test/support/Costs.ts` appends it as a line of JSON to the file that `TEST_COSTS` names. */
export interface Recorded {
  readonly file: string
  /** CPU of the test's process with its threads. */
  readonly own: number
  /** CPU of processes that it started and that have ended. */
  readonly children: number
  readonly wall: number
}

/** A row of the table: CPU seconds, `null` where the file did not exist or was not run. */
export interface Row {
  readonly file: string
  readonly before: number | null
  readonly now: number | null
}

export const table = path.join(TestFiles.root, "docs/contributors/test-costs.tsv")

const header = "before\tnow\tfile"

const figure = (seconds: number | null) => (seconds === null ? "" : seconds.toFixed(1))

export const encode = (rows: ReadonlyArray<Row>): string =>
  [header, ...rows.map((row) => `${figure(row.before)}\t${figure(row.now)}\t${row.file}`)].join("\n") + "\n"

const parsed = (text: string): number | null => (text === "" ? null : Number(text))

export const decode = (text: string): ReadonlyArray<Row> =>
  text
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => {
      const [before = "", now = "", file = ""] = line.split("\t")
      return { file, before: parsed(before), now: parsed(now) }
    })

/** CPU seconds by file, relative to `root`. A file that ran twice counts twice. */
export const sums = (recorded: ReadonlyArray<Recorded>, root: string): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>()
  for (const { children, file, own } of recorded) {
    const name = path.relative(root, file).replaceAll(path.sep, "/")
    sums.set(name, (sums.get(name) ?? 0) + own + children)
  }
  return sums
}

/** The table with new figures: files that were not run keep theirs, and files that have gone keep what they took before. */
export const merge = (
  rows: ReadonlyArray<Row>,
  now: ReadonlyMap<string, number>,
  exists: (file: string) => boolean
): ReadonlyArray<Row> => {
  const known = new Map(rows.map((row) => [row.file, row]))
  const files = new Set([...known.keys(), ...now.keys()])
  const merged = [...files].map((file): Row => {
    const row = known.get(file)
    const last = exists(file) ? (row?.now ?? null) : null
    return { file, before: row?.before ?? null, now: now.get(file) ?? last }
  })
  const dearestFirst = (a: Row, b: Row) =>
    (b.now ?? 0) - (a.now ?? 0) || (b.before ?? 0) - (a.before ?? 0) || a.file.localeCompare(b.file, "en")
  return merged.filter((row) => row.before !== null || row.now !== null).toSorted(dearestFirst)
}

/** So many files are listed with their reasons. */
const dearest = 20

const total = (rows: ReadonlyArray<Row>, field: "before" | "now") =>
  rows.reduce((sum, row) => sum + (row[field] ?? 0), 0)

export const summary = (
  rows: ReadonlyArray<Row>,
  files: ReadonlyArray<TestFiles.TestFile>
): ReadonlyArray<string> => {
  const reasons = new Map(files.map((file) => [file.path, file.cost ?? "-"]))
  const groups = TestFiles.groups.map((group) => {
    const members = rows.filter(({ file }) => file.startsWith(`test/${group}/`))
    return `${figure(total(members, "before")).padStart(8)}${figure(total(members, "now")).padStart(8)}  test/${group}`
  })
  return [
    "  before     now  CPU seconds",
    ...groups,
    "",
    ...rows
      .slice(0, dearest)
      .flatMap(({ before, file, now }) => [
        `${figure(before).padStart(8)}${figure(now).padStart(8)}  ${file}`,
        `${" ".repeat(18)}${reasons.get(file) ?? "-"}`
      ])
  ]
}

const readTable = (): ReadonlyArray<Row> =>
  fs.existsSync(table) ? decode(fs.readFileSync(table, "utf8")) : []

if (import.meta.main) {
  const args = process.argv.slice(2)
  const form = args.find((arg) => !arg.startsWith("--")) ?? "all"
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "inferlog-costs-"))
  const target = path.join(folder, "costs.jsonl")
  const { status } = childProcess.spawnSync(process.execPath, ["tools/Tests.ts", form], {
    cwd: TestFiles.root,
    stdio: "inherit",
    env: { ...process.env, TEST_COSTS: target }
  })
  const lines = fs.readFileSync(target, "utf8").trim().split("\n")
  fs.rmSync(folder, { recursive: true })
  const now = sums(
    lines.map((line): Recorded => JSON.parse(line)),
    TestFiles.root
  )
  const files = TestFiles.read()
  const known = new Set(files.map((file) => file.path))
  const rows = merge(readTable(), now, (file) => known.has(file))
  const kept = args.includes("--baseline") ? rows.map((row) => ({ ...row, before: row.now })) : rows
  fs.writeFileSync(table, encode(kept))
  process.stdout.write(`\n${summary(kept, files).join("\n")}\n`)
  process.exitCode = status ?? 1
}
