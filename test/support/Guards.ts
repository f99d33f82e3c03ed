/**
 * Keeps the promises of the groups that `npm test` runs: a test starts no process, or the one that its file declares, and does
 * not wait for real time.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, afterEach, beforeEach, expect } from "vitest"
import * as TestFiles from "#tools/TestFiles.ts"
import * as HeldTimers from "./guards/HeldTimers.ts"
import * as Judgement from "./guards/Judgement.ts"
import * as StartedProcesses from "./guards/StartedProcesses.ts"

const testPath = expect.getState().testPath ?? ""
const file = TestFiles.at(path.relative(TestFiles.root, testPath).replaceAll(path.sep, "/"))

/** Where to record what each test waited for; nothing by default. */
const target = process.env["TEST_WAITS"]

let due: Array<HeldTimers.HeldTimer> = []
let refusals: Array<string> = []
let blockedMs = 0
let servers = 0

const hold = () => {
  if (!Judgement.mayWait(file)) HeldTimers.hold((timer) => due.push(timer))
}

StartedProcesses.watch((started) => {
  const refusal = Judgement.refusal(file, started, servers)
  if (refusal !== null) {
    refusals.push(refusal)
    throw new Error(refusal)
  }
  const more = Judgement.isServer(started) ? 1 : 0
  servers += more
  return () => void (servers -= more)
})

const { wait } = Atomics
Atomics.wait = ((...args: [Int32Array, number, number, number?]) => {
  const result = wait(...args)
  if (result === "timed-out") blockedMs += args[3] ?? 0
  return result
}) as typeof wait

let began = { at: 0, loop: performance.eventLoopUtilization() }

beforeEach(() => {
  due = []
  refusals = []
  blockedMs = 0
  hold()
  began = { at: performance.now(), loop: performance.eventLoopUtilization() }
})

afterEach(({ task }) => {
  if (target !== undefined) {
    const { idle } = performance.eventLoopUtilization(began.loop)
    const timers = due.map(({ ms, site }) => `${ms} ${site}`)
    const wall = performance.now() - began.at
    const state = task.result?.state
    const recorded = { file: file.path, test: task.name, wall, idle, blockedMs, state, timers, refusals }
    fs.appendFileSync(target, `${JSON.stringify(recorded)}\n`)
  }
  const errors = (task.result?.errors ?? []).map(({ message }) => message)
  const verdict = Judgement.verdict({ group: file.group, errors, refusals, due, blockedMs })
  HeldTimers.release()
  if (verdict === null) return
  // What a test that has not ended leaves behind can then be cleaned up.
  HeldTimers.runOverdue()
  throw new Error(verdict)
})

afterAll(() => {
  StartedProcesses.unwatch()
  Atomics.wait = wait
})
