/** What a test of `npm test` may start and wait for, and what to say of one that does otherwise. */
import * as path from "node:path"
import type { TestFile } from "#tools/TestFiles.ts"
import { type HeldTimer, longestMs } from "./HeldTimers.ts"
import type { Started } from "./StartedProcesses.ts"

/** Whether timers run in this file as they are set: only where another process has to be waited for. */
export const mayWait = ({ group, process }: Pick<TestFile, "group" | "process">): boolean =>
  group === "service" && process !== null

/** Why the file may not start the program while `running` others run; `null` if it may. */
export const refusal = (
  file: Pick<TestFile, "group" | "process">,
  { program, isSync }: Started,
  running: number
): string | null => {
  const started = `A test of test/${file.group} started ${path.basename(program)}.`
  if (file.group === "unit") return `${started} No test of this group starts a process.`
  if (file.process === null)
    return `${started} The comment at the top of its file does not say "@process why".`
  if (program !== process.execPath || isSync)
    return `${started} This group starts nothing but Node, and does not block.`
  return running === 0 ? null : `${started} Another process runs. This group starts one at a time.`
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
