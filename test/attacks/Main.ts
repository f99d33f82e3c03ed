/**
 * `npm run test:attacks`: every attack, outage and mistake of clients that was ever found to do harm, in its long form,
 * against real servers. `npm run test:attacks -- --short` runs the form that is part of `npm test`.
 */
import { startVitest } from "vitest/node"
import * as Report from "./Report.ts"

const items = { A: 8, B: 8, C: 8, D: 2, E: 10 }

/** `A` by itself is the bar of all that one client can do to a server. */
const expected = [
  "A",
  ...Object.entries(items).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, index) => `${letter}${index + 1}`)
  )
]

const args = process.argv.slice(2)
/** Parts of the names of files; by default all attacks. */
const chosen = args.filter((arg) => !arg.startsWith("--")).map((name) => `test/attacks/${name}`)
process.env["ATTACKS"] = args.includes("--short") ? "short" : "long"

const vitest = await startVitest("test", chosen.length === 0 ? ["test/attacks/"] : chosen, {
  watch: false,
  // One at a time: each is to have the machine to itself.
  maxWorkers: 1,
  reporters: ["default", Report.make(chosen.length === 0 ? expected : [])]
})
await vitest.close()
