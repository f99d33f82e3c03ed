/** What the memory of a profiled program is. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as MemoryProfile from "#bench/harness/MemoryProfile.ts"
import * as ScratchDirectory from "#bench/harness/ScratchDirectory.ts"

/** Holds 64 MiB in one thread and 32 in another, until each has written a sample. */
const program = (folder: string) => `
  const fs = require("node:fs")
  const { isMainThread, Worker } = require("node:worker_threads")
  const buffer = Buffer.alloc((isMainThread ? 64 : 32) * 2 ** 20, 1)
  if (isMainThread) new Worker(__filename)
  setInterval(() => {
    if (isMainThread && fs.readdirSync(${JSON.stringify(folder)}).length === 2) process.exit(buffer[0] - 1)
  }, 10)
`

it.live("sums the parts of all threads at the peak of a process, within a window", () =>
  Effect.gen(function* () {
    const folder = yield* ScratchDirectory.make
    const file = `${yield* ScratchDirectory.make}/program.cjs`
    fs.writeFileSync(file, program(folder))
    childProcess.execFileSync(process.execPath, [...MemoryProfile.flags(folder), file], { timeout: 20_000 })
    const parts = MemoryProfile.atPeak(folder, { from: 0, to: Number.MAX_SAFE_INTEGER })
    assert.isAtLeast(parts.get("buffers") ?? 0, 96)
    const [resident = 0, ...others] = Array.from(parts.values()).toReversed()
    assert.isAbove(resident, 96)
    assert.closeTo(
      others.reduce((total, size) => total + size, 0),
      resident,
      0.001
    )
    assert.strictEqual(MemoryProfile.atPeak(folder, { from: 0, to: 0 }).size, 0)
  })
)
