/** Reports the results by item (`A1`, `B4`, …). The title of each group of attacks begins with its item. */
import type { Reporter, TestModule } from "vitest/node"

interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly titles: ReadonlySet<string>
}

const itemOf = (title: string): string => /^([A-Z]\d*): /.exec(title)?.[1] ?? "other"

const none: Tally = { passed: 0, failed: 0, skipped: 0, titles: new Set() }

const tallyOf = (modules: ReadonlyArray<TestModule>): ReadonlyMap<string, Tally> => {
  const tallies = new Map<string, Tally>()
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const [title = test.name] = test.fullName.split(" > ")
      const item = itemOf(title)
      const { failed, passed, skipped, titles } = tallies.get(item) ?? none
      const { state } = test.result()
      tallies.set(item, {
        passed: passed + (state === "passed" ? 1 : 0),
        failed: failed + (state === "failed" || state === "pending" ? 1 : 0),
        skipped: skipped + (state === "skipped" ? 1 : 0),
        titles: new Set([...titles, title.replace(/^[A-Z]\d*: /, "")])
      })
    }
  }
  return tallies
}

const byItem = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true })

const line = ([item, { failed, passed, skipped, titles }]: readonly [string, Tally]): string => {
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} FAILED`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : [])
  ]
  return `${item.padEnd(6)}${counts.join(", ").padEnd(24)}${[...titles].join("; ")}`
}

const sum = (tallies: ReadonlyMap<string, Tally>, field: "passed" | "failed" | "skipped") =>
  [...tallies.values()].reduce((total, tally) => total + tally[field], 0)

/** @param expected items that must have an attack. A missing one counts as failed. */
export const make = (expected: ReadonlyArray<string>): Reporter => ({
  onTestRunEnd: (modules, errors) => {
    const tallies = tallyOf(modules)
    const missing = expected.filter((item) => !tallies.has(item))
    const lines = [...tallies].toSorted(([a], [b]) => byItem(a, b)).map(line)
    const failed = sum(tallies, "failed") + missing.length + errors.length
    process.stdout.write(
      ["", "Results by item", ...lines, ...missing.map((item) => `${item.padEnd(6)}has no attack`)].join("\n")
    )
    process.stdout.write(
      `\n\n${sum(tallies, "passed")} passed, ${failed} failed, ${sum(tallies, "skipped")} skipped\n`
    )
    if (failed > 0) process.exitCode = 1
  }
})
