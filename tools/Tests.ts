/**
 * Runs tests with Vitest and says at the end what it left out.
 *
 * `npm test`: the groups that a developer waits for. `-- PATH…`: the files that match; those of other groups only when a path
 * names their file or their folder. `npm run test:all`: everything but `test/release`. `npm run test:rest`: what `npm test` leaves
 * out of that. `npm run test:release`: what only proves a release. Options of Vitest are passed on.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { parseCLI, startVitest } from "vitest/node"
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

if (import.meta.main) {
  const [form, ...args] = process.argv.slice(2)
  process.env["TESTS"] = "run"
  const { filter, options } = parseCLI(["vitest", "run", ...args])
  const filters = filter.map(relative)
  const { chosen, leftOut } = choose(TestFiles.read(), form as Form, filters)
  if (chosen.length === 0) {
    process.stderr.write("No test file matches.\n")
    process.exitCode = 1
  } else {
    const projects = [...new Set(chosen.map(TestFiles.setOf))]
    const vitest = await startVitest("test", filters.length === 0 ? [] : chosen.map((file) => file.path), {
      ...options,
      project: projects,
      watch: false
    })
    await vitest.close()
  }
  for (const line of leftOutLines(leftOut, filters)) process.stdout.write(`${line}\n`)
}
