/** What a test of `npm test` may start and wait for, and what to say of one that does otherwise. */
import * as path from "node:path"
import type { TestFile } from "#tools/TestFiles.ts"
import { type HeldTimer, longestMs } from "./HeldTimers.ts"
import type { Started } from "./StartedProcesses.ts"

/** Whether timers run in this file as they are set: only where another process has to be waited for. */
export const mayWait = ({ group, process }: Pick<TestFile, "group" | "process">): boolean =>
  group === "service" && process !== null

/** Whether it is a server of this program. */
export const isServer = ({ args }: Started): boolean => args.includes("serve") || args.includes("start")

/** Why the file may not start the program while so many `servers` run; `null` if it may. */
export const refusal = (
  file: Pick<TestFile, "group" | "process">,
  started: Started,
  servers: number
): string | null => {
  const name = path.basename(started.program)
  const what = `A test of test/${file.group} started ${name}.`
  if (file.group === "unit") return `${what} No test of this group starts a process.`
  if (file.process === null) return `${what} The comment at the top of its file does not say "@process why".`
  const others = file.process.includes(":") ? (file.process.split(":")[0] ?? "").split(/,\s*/) : []
  if (started.program !== process.execPath && !others.includes(name)) {
    return `${what} This group starts Node, and what a file names: "@process npm, sh: why".`
  }
  return isServer(started) && servers > 0
    ? `${what} Another server runs. This group starts one at a time.`
    : null
}

export interface Observed {
  readonly group: string
  /** The messages of the errors so far. */
  readonly errors: ReadonlyArray<string>
  readonly refusals: ReadonlyArray<string>
  /** Timers that would have run while the test ran. */
  readonly due: ReadonlyArray<HeldTimer>
  /** For how long the test blocked its thread until a time limit, ms. */
  readonly blockedMs: number
}

const timersListed = 10

/** What to fail the test with. A held timer counts only where the test did not end without it. */
export const verdict = ({ blockedMs, due, errors, group, refusals }: Observed): string | null => {
  const [refused] = refusals
  if (refused !== undefined) return refused
  if (blockedMs >= longestMs) return `The test blocked its thread by Atomics.wait for ${blockedMs} ms.`
  if (due.length === 0 || !errors.some((message) => / timed out in /.test(message))) return null
  const lines = new Set(due.map(({ ms, site }) => `  ${ms} ms, set at ${site}`))
  return [
    `The test did not end. In test/${group}, timers of ${longestMs} ms or more never run. These would have run:`,
    ...[...lines].slice(0, timersListed),
    "Replace the clock, or pass a shorter limit. A test that is about real time belongs to test/system."
  ].join("\n")
}
