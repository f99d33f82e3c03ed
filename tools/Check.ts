/**
 * `npm run check`: types and layers, import cycles, unused exports, lint and format. Two steps run at a time, the longest first, because
 * the compiler uses little more than one core. All steps run, also after one has failed. Each prints its time, and what it found.
 */
import * as childProcess from "node:child_process"
import * as TestFiles from "./TestFiles.ts"

interface Step {
  readonly name: string
  readonly command: ReadonlyArray<string>
}

/** What prints colours only to a terminal does not see it through a pipe. */
const isTerminal = process.stdout.isTTY === true

const steps: ReadonlyArray<Step> = [
  { name: "types", command: ["tsc", "-b", "--checkers", "1", "--pretty", String(isTerminal)] },
  { name: "unused exports", command: ["knip", "--no-progress", "--cache"] },
  { name: "lint", command: ["oxlint", "--deny-warnings"] },
  { name: "format", command: ["oxfmt", "--check"] },
  { name: "import cycles", command: [process.execPath, "tools/ImportCycles.ts"] }
]

const atOnce = 2

interface Ended {
  readonly isOk: boolean
  readonly output: string
}

const run = ({ command: [program = "", ...args] }: Step): Promise<Ended> =>
  new Promise((resolve) => {
    const child = childProcess.spawn(program, args, {
      cwd: TestFiles.root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...(isTerminal && { FORCE_COLOR: "1" }) }
    })
    let output = ""
    const add = (text: string) => {
      output += text
    }
    child.stdout.setEncoding("utf8").on("data", add)
    child.stderr.setEncoding("utf8").on("data", add)
    child.once("error", (cause) => resolve({ isOk: false, output: `${output}${String(cause)}\n` }))
    child.once("close", (code) => resolve({ isOk: code === 0, output }))
  })

const failed: Array<string> = []
const began = performance.now()
const secondsSince = (start: number) => `${((performance.now() - start) / 1000).toFixed(1)} s`

const waiting = steps.values()
const work = async () => {
  // All workers take from the same iterator.
  for (const step of waiting) {
    const start = performance.now()
    const { isOk, output } = await run(step)
    if (!isOk) failed.push(step.name)
    process.stdout.write(`${isOk ? "ok    " : "FAILED"} ${step.name} (${secondsSince(start)})\n`)
    if (!isOk) process.stdout.write(output)
  }
}
await Promise.all(Array.from({ length: atOnce }, work))
process.stdout.write(
  failed.length === 0
    ? `All checks passed in ${secondsSince(began)}.\n`
    : `Failed in ${secondsSince(began)}: ${failed.join(", ")}. See above.\n`
)
if (failed.length > 0) process.exitCode = 1
