/**
 * `npm run test:attacks`: every attack, outage and client mistake that once did harm, in its long form, against real servers.
 * `npm run test:attacks -- --short` runs the form that is part of `npm run test:all`.
 * Attacks are the files of `test/system` that end in `.attack.test.ts`.
 */
import { startVitest } from "vitest/node"
import * as Report from "./Report.ts"

const items = { A: 8, B: 8, C: 8, D: 2, E: 10 }

/** `A` without a number runs all hostile inputs at once. */
const expected = [
  "A",
  ...Object.entries(items).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, index) => `${letter}${index + 1}`)
  )
]

const args = process.argv.slice(2)
/** Parts of file names. Without any, all attacks run. */
const chosen = args.filter((arg) => !arg.startsWith("--")).map((name) => `${name}.attack.test.ts`)
process.env["ATTACKS"] = args.includes("--short") ? "short" : "long"

const vitest = await startVitest("test", chosen.length === 0 ? [".attack.test.ts"] : chosen, {
  watch: false,
  // One file at a time, so that each has the whole machine.
  maxWorkers: 1,
  reporters: ["default", Report.make(chosen.length === 0 ? expected : [])]
})
await vitest.close()
