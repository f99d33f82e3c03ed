/**
 * The test files and what each says of itself. The folder says the group (`test/unit`, `test/service`, `test/system`,
 * `test/release`; the README of each says what may be in it). The comment at the top of a file may say more:
 *
 * - `@alone why`: no other file runs beside it.
 * - `@first why`: it starts before the others of its group.
 * - `@together module`: it uses what the module starts, one file after another in one process.
 * - `@cost why`: why it may take the time that it takes.
 * - `@process why`: it starts processes of Node, one server at a time, and waits for them in real time (`test/service` alone).
 *   `@process npm, sh: why`: these programs, too.
 */
import * as fs from "node:fs"
import * as path from "node:path"

export const groups = ["unit", "service", "system", "release"] as const
export type Group = (typeof groups)[number]

/** What `npm test` runs: what a developer waits for. */
export const daily: ReadonlyArray<Group> = ["unit", "service"]

export interface TestFile {
  /** From the root of the repository. */
  readonly path: string
  readonly group: Group
  readonly isAlone: boolean
  readonly isFirst: boolean
  readonly together: string | null
  readonly cost: string | null
  readonly process: string | null
}

export const root = path.resolve(import.meta.dirname, "..")

const isTest = (name: string) => name.endsWith(".test.ts")

/** A file's comment is read as far as this, in bytes. */
const headBytes = 2_000

const headOf = (file: string): string => {
  const descriptor = fs.openSync(file, "r")
  try {
    const head = Buffer.alloc(headBytes)
    const text = head.toString("utf8", 0, fs.readSync(descriptor, head))
    return text.startsWith("/**") ? text.slice(0, text.indexOf("*/")) : ""
  } finally {
    fs.closeSync(descriptor)
  }
}

/** The text behind a tag; `null` without the tag. A tag begins a line, and its text may go on in the next lines. */
const tagIn = (head: string, tag: string): string | null => {
  const found = new RegExp(`(?:^/\\*\\*|\\n \\*) @${tag}\\b([^@]*)`).exec(head)?.[1]
  return found === undefined ? null : found.replace(/\s*\n \*?\s*/g, " ").trim()
}

export const parse = (file: string, group: Group, head: string): TestFile => ({
  path: file,
  group,
  isAlone: tagIn(head, "alone") !== null,
  isFirst: tagIn(head, "first") !== null,
  together: tagIn(head, "together"),
  cost: tagIn(head, "cost"),
  process: tagIn(head, "process")
})

const groupOf = (file: string): Group => {
  const group = groups.find((group) => file.startsWith(`test/${group}/`))
  if (group === undefined) throw new Error(`${file} is in none of the groups of tests`)
  return group
}

/** @param file from the root of the repository. */
export const at = (file: string): TestFile => parse(file, groupOf(file), headOf(path.join(root, file)))

export const read = (): ReadonlyArray<TestFile> =>
  groups.flatMap((group) =>
    fs
      .readdirSync(path.join(root, "test", group), { recursive: true, encoding: "utf8" })
      .filter(isTest)
      .map((name) => `test/${group}/${name.replaceAll(path.sep, "/")}`)
      .toSorted()
      .map(at)
  )

/** Files that run beside each other: those of a group, or those that run one after another in one process. */
export interface TestSet {
  readonly name: string
  readonly group: Group
  readonly isSerial: boolean
  /** The module that starts what they share. */
  readonly together: string | null
  /** Sets run in this order, those of equal order beside each other. */
  readonly order: number
  readonly files: ReadonlyArray<string>
}

export const setOf = ({ group, isAlone, together }: TestFile): string =>
  isAlone ? `${group} alone` : together === null ? group : `${group} ${path.basename(path.dirname(together))}`

/** The groups of `daily` share their workers. The others follow, each with what runs one after another last. */
const orderOf = ({ group, isAlone, together }: TestFile): number =>
  (daily.includes(group) ? 0 : 3 * groups.indexOf(group)) + (isAlone ? 2 : together === null ? 0 : 1)

export const sets = (files: ReadonlyArray<TestFile>): ReadonlyArray<TestSet> => {
  const found = new Map<string, TestSet>()
  for (const file of files) {
    const { group, isAlone, path, together } = file
    const name = setOf(file)
    const others = found.get(name)?.files ?? []
    const isSerial = isAlone || together !== null
    found.set(name, { name, group, isSerial, together, order: orderOf(file), files: [...others, path] })
  }
  return [...found.values()]
}
