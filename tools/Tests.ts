/**
 * Runs tests with Vitest and says at the end what it left out.
 *
 * `npm test`: the groups that a developer waits for. `-- PATH…`: the files that match; those of other groups only when a path
 * names their file or their folder. `npm run test:all`: everything but `test/release`. `npm run test:rest`: what `npm test` leaves
 * out of that. `npm run test:release`: what only proves a release. Options of Vitest are passed on.
 *
 * `-- --changed [ref]`: the tests that what is not committed (or all since the ref) can break, nearest first, as many as run in half a
 * minute. The form `saved` takes changed files instead of filters, and less time (`tools/Watch.ts`).
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { parseCLI, startVitest } from "vitest/node"
import * as Changed from "./Changed.ts"
import * as TestFiles from "./TestFiles.ts"

type Form = "daily" | "all" | "rest" | "release"

const groupsOf: Readonly<Record<Form, ReadonlyArray<TestFiles.Group>>> = {
  daily: TestFiles.daily,
  all: ["unit", "service", "system"],
  rest: ["system"],
  release: ["release"]
}

const commands: Readonly<Record<TestFiles.Group, string>> = {
  unit: "npm test",
  service: "npm test",
  system: "npm run test:all",
  release: "npm run test:release"
}

/** Whether a filter names the file or a folder of its group, rather than a part of many paths. */
const names = (filter: string, file: TestFiles.TestFile): boolean =>
  file.path === filter ||
  (filter.startsWith(`test/${file.group}/`) && file.path.startsWith(filter)) ||
  (filter.endsWith(".test.ts") && file.path.includes(filter))

export interface Choice {
  readonly chosen: ReadonlyArray<TestFiles.TestFile>
  readonly leftOut: ReadonlyArray<TestFiles.TestFile>
}

export const choose = (
  files: ReadonlyArray<TestFiles.TestFile>,
  form: Form,
  filters: ReadonlyArray<string>
): Choice => {
  const matches = files.filter(
    (file) => filters.length === 0 || filters.some((filter) => file.path.includes(filter))
  )
  const isChosen = (file: TestFiles.TestFile) =>
    groupsOf[form].includes(file.group) || filters.some((filter) => names(filter, file))
  return { chosen: matches.filter(isChosen), leftOut: matches.filter((file) => !isChosen(file)) }
}

/** One line for each group that was left out, with its command. */
export const leftOutLines = (
  leftOut: ReadonlyArray<TestFiles.TestFile>,
  filters: ReadonlyArray<string>
): ReadonlyArray<string> =>
  [...Map.groupBy(leftOut, ({ group }) => group)].map(([group, files]) => {
    const more = filters.length === 0 ? "" : ` -- ${filters.join(" ")}`
    return `Left out: ${files.length} ${files.length === 1 ? "file" : "files"} of test/${group}. Run ${commands[group]}${more}`
  })

/** Filters as paths from the root, as far as they name files. */
const relative = (filter: string): string => {
  const absolute = path.resolve(filter)
  const inside = path.relative(TestFiles.root, absolute)
  return fs.existsSync(absolute) && !inside.startsWith("..") ? inside.replaceAll(path.sep, "/") : filter
}

/** CPU seconds of tests that two cores run in half a minute, beside the start of Vitest. */
const budget = 32

/** The same for a developer who waits after each save. */
const savedBudget = 6

const filesOf = (count: number) => `${count} ${count === 1 ? "file" : "files"}`

/** What did not run though the change can break it. */
export const changedLines = ({ otherGroups, overBudget }: Changed.Selection): ReadonlyArray<string> => [
  ...(overBudget.length === 0
    ? []
    : [`Left out: ${filesOf(overBudget.length)} of tests that the change can break, too. Run npm test`]),
  ...leftOutLines(
    otherGroups,
    otherGroups.map((file) => file.path)
  )
]

type Options = ReturnType<typeof parseCLI>["options"]

/** Runs the files, or all of their sets. */
const run = async (chosen: ReadonlyArray<TestFiles.TestFile>, isAll: boolean, options: Options) => {
  process.env["TESTS"] = isAll || Changed.needBuild(Changed.readTexts(), chosen) ? "run" : "sources"
  const vitest = await startVitest("test", isAll ? [] : chosen.map((file) => file.path), {
    ...options,
    project: [...new Set(chosen.map(TestFiles.setOf))],
    watch: false
  })
  await vitest.close()
}

const runChanged = async (
  tests: ReadonlyArray<TestFiles.TestFile>,
  changed: ReadonlyArray<string>,
  budget: number,
  options: Options
): Promise<ReadonlyArray<string>> => {
  const distances = Changed.reached(Changed.readTexts(), changed)
  const selection = Changed.select({ tests, changed, distances, costs: Changed.readCosts(), budget })
  if (selection.chosen.length > 0) await run(selection.chosen, false, options)
  else process.stdout.write("The change reaches no test of test/unit and test/service.\n")
  return changedLines(selection)
}

const runChosen = async (
  { chosen, leftOut }: Choice,
  filters: ReadonlyArray<string>,
  options: Options
): Promise<ReadonlyArray<string>> => {
  if (chosen.length > 0) await run(chosen, filters.length === 0, options)
  else {
    process.stderr.write("No test file matches.\n")
    process.exitCode = 1
  }
  return leftOutLines(leftOut, filters)
}

if (import.meta.main) {
  const [form, ...args] = process.argv.slice(2)
  const files = TestFiles.read()
  const { filter, options } = parseCLI(["vitest", "run", ...args])
  const { changed = false, ...rest } = options
  const filters = filter.map(relative)
  const choice = choose(files, form === "saved" ? "all" : (form as Form), filters)
  const since = changed === false ? [] : Changed.changedSince(changed === true ? "HEAD" : String(changed))
  const lines =
    form === "saved"
      ? await runChanged(files, filters, savedBudget, rest)
      : changed === false
        ? await runChosen(choice, filters, rest)
        : await runChanged([...choice.chosen, ...choice.leftOut], since, budget, rest)
  for (const line of lines) process.stdout.write(`${line}\n`)
}
