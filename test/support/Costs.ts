/** Records what each test file costs, where `tools/TestCosts.ts` asks for it. On Linux only, which counts ended children, too. */
import * as fs from "node:fs"
import { afterAll, expect } from "vitest"
import type { Recorded } from "#tools/TestCosts.ts"

const target = process.env["TEST_COSTS"]

/** Ticks of the kernel per second, which Linux has fixed for programs. */
const ticks = 100

/** Seconds of CPU of this process with its threads, and of its ended children. */
const used = () => {
  const stat = fs.readFileSync("/proc/self/stat", "utf8")
  // The name of the program, in parentheses, may contain spaces.
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number)
  const [user = 0, system = 0, childrensUser = 0, childrensSystem = 0] = fields.slice(11, 15)
  return { own: (user + system) / ticks, children: (childrensUser + childrensSystem) / ticks }
}

if (target !== undefined) {
  const file = expect.getState().testPath ?? ""
  const before = used()
  const began = performance.now()
  afterAll(() => {
    const after = used()
    const recorded: Recorded = {
      file,
      own: after.own - before.own,
      children: after.children - before.children,
      wall: (performance.now() - began) / 1000
    }
    fs.appendFileSync(target, `${JSON.stringify(recorded)}\n`)
  })
}
