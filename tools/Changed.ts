/**
 * The tests that a change can break, nearest first (`npm test -- --changed`).
 *
 * A test is reached through what it loads and starts, and through files that name what is not loaded: a page, a manifest, a fixture.
 * A file such as `domain/Money.ts` reaches nearly all tests, so the nearest run as far as a budget of CPU seconds goes.
 */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Imports from "./Imports.ts"
import { decode, table } from "./TestCosts.ts"
import * as TestFiles from "./TestFiles.ts"

/** The text of each file of code by its path. */
export type Texts = ReadonlyMap<string, string>

/** They concern every test. */
const common = new Set(["package-lock.json", "vitest.config.ts", "test/support/Costs.ts"])

const isCode = (file: string) => /\.(tsx?|m?js)$/.test(file)

const withoutComments = (text: string): string => text.replaceAll(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")

/**
 * Paths that a file of code names other than to import them: texts that begin with a dot are relative to it, others to the root. A folder
 * of the root (`"docs"`) is a word like any other, so it counts in tests alone.
 */
export const namedIn = (file: string, text: string): ReadonlySet<string> => {
  const folder = path.posix.dirname(file)
  const isTest = file.startsWith("test/")
  const found = [...withoutComments(text).matchAll(/["'`}]([\w.@/-]+)/g)].flatMap(([match, literal = ""]) => {
    const name = match.startsWith("}") ? literal.replace(/^\//, "") : literal
    if (name.startsWith(".")) return path.posix.join(folder, name).replace(/\/$/, "")
    return isTest || /[/.]/.test(name) ? name.replace(/\/$/, "") : []
  })
  const imported = Imports.importsOf(file, text)
  return new Set(found.filter((name) => !imported.has(name)))
}

/**
 * What a file may be named by, most specific first: its path, its name, and its folders. Code is named by its path alone, because what
 * names a folder of code rarely reads it; the sources of the console, which a test reads, are the exception.
 */
export const namesOf = (file: string): ReadonlyArray<string> => {
  if (isCode(file) && !file.startsWith("console/")) return [file]
  const parts = file.split("/")
  const folders = parts.slice(1).map((_, index) => parts.slice(0, parts.length - 1 - index).join("/"))
  return [...new Set([file, path.posix.basename(file), ...folders.filter((folder) => folder !== "test")])]
}

/** How far each file of code is from the change, in steps. What names a changed file is as far as the name is unspecific. */
export const reached = (texts: Texts, changed: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const graph = new Map([...texts].map(([file, text]) => [file, Imports.loadsOf(file, text)] as const))
  const importers = Imports.reversed(graph)
  const naming = Imports.reversed(new Map([...texts].map(([file, text]) => [file, namedIn(file, text)])))
  const found = new Map<string, number>()
  const add = (from: string, offset: number) => {
    for (const [file, distance] of Imports.distances(importers, [from])) {
      const known = found.get(file)
      if (known === undefined || known > distance + offset) found.set(file, distance + offset)
    }
  }
  for (const file of changed) {
    add(file, 0)
    for (const [index, name] of namesOf(file).entries()) {
      for (const other of naming.get(name) ?? []) if (other !== file) add(other, index + 1)
    }
  }
  return found
}

/** Whether the file starts threads, which run from the bundle, or uses the builds of the console or of the clients. */
const usesBuild = (file: string, text: string): boolean =>
  Imports.entriesOf(file, text).size > 0 || /["/]dist\/|"@inferlog\//.test(text)

/** Whether one of the tests needs a build of the present sources. */
export const needBuild = (texts: Texts, tests: ReadonlyArray<TestFiles.TestFile>): boolean => {
  const loads = new Map([...texts].map(([file, text]) => [file, Imports.loadsOf(file, text)] as const))
  const loaded = Imports.distances(
    loads,
    tests.map(({ path }) => path)
  )
  return [...loaded.keys()].some((file) => usesBuild(file, texts.get(file) ?? ""))
}

/** 0 for a changed test and the test of a changed file, 1 for tests of its folder, 2 for others. */
export const nearness = (test: TestFiles.TestFile, changed: ReadonlyArray<string>): number => {
  if (changed.includes(test.path)) return 0
  const mirrored = test.path.slice(`test/${test.group}/`.length)
  const isOwn = (file: string) => file.replace(/\.tsx?$/, "") === mirrored.replace(/\.test\.ts$/, "")
  const isBeside = (file: string) => path.posix.dirname(file) === path.posix.dirname(mirrored)
  return changed.some(isOwn) ? 0 : changed.some(isBeside) ? 1 : 2
}

export interface Selection {
  readonly chosen: ReadonlyArray<TestFiles.TestFile>
  /** Tests of the same groups that the change reaches and the budget does not. */
  readonly overBudget: ReadonlyArray<TestFiles.TestFile>
  /** Tests of other groups that lie where the change is. */
  readonly otherGroups: ReadonlyArray<TestFiles.TestFile>
}

/** Farther than any distance. */
const unreached = Number.MAX_SAFE_INTEGER

/** CPU seconds of a test of which nothing is recorded. */
const unknownCost = 1

/**
 * @param costs - CPU seconds by test file
 * @param budget - CPU seconds. The first test is chosen whatever it costs; one that does not fit makes room for cheaper ones behind it.
 */
export const select = (options: {
  readonly tests: ReadonlyArray<TestFiles.TestFile>
  readonly changed: ReadonlyArray<string>
  readonly distances: ReadonlyMap<string, number>
  readonly costs: ReadonlyMap<string, number>
  readonly budget: number
}): Selection => {
  const { budget, changed, costs, distances, tests } = options
  const concernsAll = changed.some((file) => common.has(file))
  const candidates = tests
    .map((test) => ({
      test,
      nearness: nearness(test, changed),
      distance: distances.get(test.path) ?? unreached,
      cost: costs.get(test.path) ?? unknownCost
    }))
    .filter(({ distance, nearness }) => concernsAll || nearness === 0 || distance < unreached)
    .toSorted(
      (a, b) =>
        a.nearness - b.nearness ||
        a.distance - b.distance ||
        a.cost - b.cost ||
        (a.test.path < b.test.path ? -1 : 1)
    )
  const chosen: Array<TestFiles.TestFile> = []
  const overBudget: Array<TestFiles.TestFile> = []
  let spent = 0
  for (const { cost, test } of candidates.filter(({ test }) => TestFiles.daily.includes(test.group))) {
    if (chosen.length > 0 && spent + cost > budget) overBudget.push(test)
    else {
      chosen.push(test)
      spent += cost
    }
  }
  const otherGroups = candidates
    .filter(({ nearness, test }) => nearness < 2 && !TestFiles.daily.includes(test.group))
    .map(({ test }) => test)
  return { chosen, overBudget, otherGroups }
}

const git = (...args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const options = { cwd: TestFiles.root, encoding: "utf8", maxBuffer: 64 << 20 } as const
  return childProcess.execFileSync("git", args, options).split("\0").slice(0, -1)
}

const untracked = () => git("ls-files", "-z", "--others", "--exclude-standard")

/** What differs from a commit, or from where this branch left it. */
export const changedSince = (ref: string): ReadonlyArray<string> => [
  ...git("diff", "-z", "--name-only", "--no-renames", "--merge-base", ref, "--"),
  ...untracked()
]

export const readTexts = (): Texts => {
  const texts = new Map<string, string>()
  for (const file of [...git("ls-files", "-z"), ...untracked()]) {
    const absolute = path.join(TestFiles.root, file)
    if (isCode(file) && fs.existsSync(absolute)) texts.set(file, fs.readFileSync(absolute, "utf8"))
  }
  return texts
}

/** CPU seconds of transforming and loading a file and what only it imports, about. The record counts them for no file. */
const loadingCost = 0.2

/** CPU seconds by test file, as recorded. */
export const readCosts = (): ReadonlyMap<string, number> =>
  fs.existsSync(table)
    ? new Map(
        decode(fs.readFileSync(table, "utf8")).map(({ before, file, now }) => [
          file,
          (now ?? before ?? unknownCost) + loadingCost
        ])
      )
    : new Map()
