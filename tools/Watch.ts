/**
 * Runs the tests that a saved file can break, nearest first and for a few seconds, then the compiler (`npm run watch`). What was saved
 * since the last run without a failure counts as changed.
 */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as TestFiles from "./TestFiles.ts"

/** An editor may write several files at once. */
const settledMs = 100

const isSource = (file: string) =>
  !/(^|\/)(node_modules|dist|\.build|\.cache|results)\/|(^|\/)\.|~$/.test(file)

const folders = fs
  .readdirSync(TestFiles.root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && isSource(`${entry.name}/`))
  .map(({ name }) => name)

const changed = new Set<string>()
let running: childProcess.ChildProcess | null = null
let settling: NodeJS.Timeout | undefined

/** Resolves to the exit code; `null` if the next change has stopped it. */
const run = (program: string, ...args: ReadonlyArray<string>): Promise<number | null> =>
  new Promise((resolve) => {
    running = childProcess.spawn(program, args, { cwd: TestFiles.root, stdio: "inherit" })
    running.once("exit", (code) => resolve(code))
  })

const answer = async () => {
  const files = [...changed]
  process.stdout.write(`\nChanged: ${files.join(", ")}\n`)
  const tests = await run(process.execPath, "tools/Tests.ts", "saved", ...files, "--silent=passed-only")
  const types = tests === null ? null : await run("tsc", "-b", "--checkers", "1", "--pretty")
  if (types === 0) process.stdout.write("Types are right.\n")
  if (tests === 0 && types === 0) for (const file of files) changed.delete(file)
}

for (const folder of folders) {
  fs.watch(path.join(TestFiles.root, folder), { recursive: true }, (_, name) => {
    const file = `${folder}/${name?.replaceAll(path.sep, "/")}`
    if (name === null || !isSource(file)) return
    changed.add(file)
    running?.kill()
    clearTimeout(settling)
    settling = setTimeout(() => void answer(), settledMs)
  })
}
process.stdout.write(`Watching ${folders.join(", ")}.\n`)
