/**
 * `node tools/Mutations.ts [part of a path]` plants each fault of `Faults.ts` in a copy of the checkout and says which tests find it: those that
 * mirror the file's folder, the rest of `npm test`, the rest of `npm run test:all`, or none. Fails if one is not found.
 *
 * The copy is a worktree of the last commit, so commit first. `--room` stops after the first of these, which takes some seconds for each fault.
 */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { type Fault, faults } from "./Faults.ts"
import * as TestFiles from "./TestFiles.ts"

/** The file with the fault. A fault whose code is not in the file once has to be renewed. */
export const planted = ({ file, from, to }: Fault, text: string): string => {
  const [before, after, ...others] = text.split(from)
  if (before === undefined || after === undefined || others.length > 0) {
    throw new Error(`expected once in ${file}: ${from}`)
  }
  return before + to + after
}

const git = (...args: ReadonlyArray<string>) =>
  childProcess.execFileSync("git", args, { cwd: TestFiles.root, stdio: ["ignore", "pipe", "ignore"] })

const firstFailure = /FAIL.*?(test\/\S+\.test\.ts)/

/** The test file that failed; `null` if none did. */
const failureOf = (copy: string, form: string, filters: ReadonlyArray<string>): string | null => {
  const { status, stderr, stdout } = childProcess.spawnSync(
    process.execPath,
    ["tools/Tests.ts", form, ...filters, "--bail", "1", "--passWithNoTests", "--no-color"],
    { cwd: copy, encoding: "utf8", maxBuffer: 1 << 28, env: { ...process.env, NO_COLOR: "1" } }
  )
  if (status === 0) return null
  return firstFailure.exec(stdout + stderr)?.[1] ?? "an error outside of tests"
}

const stepsFor = ({ file }: Fault) => [
  { name: "its room", form: "daily", filters: [`/${path.posix.dirname(file)}/`] },
  { name: "npm test", form: "daily", filters: [] },
  { name: "npm run test:all", form: "rest", filters: [] }
]

const search = (copy: string, fault: Fault, steps: ReturnType<typeof stepsFor>): string | null => {
  const target = path.join(copy, fault.file)
  const text = fs.readFileSync(target, "utf8")
  fs.writeFileSync(target, planted(fault, text))
  try {
    for (const { filters, form, name } of steps) {
      const failure = failureOf(copy, form, filters)
      if (failure !== null) return `${name}: ${failure}`
    }
    return null
  } finally {
    fs.writeFileSync(target, text)
  }
}

if (import.meta.main) {
  const args = process.argv.slice(2)
  const part = args.find((arg) => !arg.startsWith("--")) ?? ""
  const steps = args.includes("--room") ? 1 : 3
  const copy = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "inferlog-mutations-")), "copy")
  git("worktree", "add", "--detach", copy)
  let missed = 0
  try {
    fs.symlinkSync(path.join(TestFiles.root, "node_modules"), path.join(copy, "node_modules"))
    for (const fault of faults.filter(({ file }) => file.includes(part))) {
      const found = search(copy, fault, stepsFor(fault).slice(0, steps))
      if (found === null) missed++
      process.stdout.write(`${fault.file}: ${fault.what}\n    ${found ?? "NOT FOUND"}\n`)
    }
  } finally {
    git("worktree", "remove", "--force", copy)
  }
  if (missed > 0) process.exitCode = 1
}
