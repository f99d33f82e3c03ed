/** What fails a test of `npm test` that waits for real time or starts a process. */
import { setTimeout as pause } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import * as HeldTimers from "#test/support/guards/HeldTimers.ts"
import * as Judgement from "#test/support/guards/Judgement.ts"
import * as TestFiles from "#tools/TestFiles.ts"

const frame = (scriptName: string, lineNumber = 1) => ({ scriptName, lineNumber })

const timer = (ms: number): HeldTimers.HeldTimer => ({ ms, site: `src/Some.ts:${ms}`, dueAt: ms })

const observed: Judgement.Observed = {
  group: "unit",
  errors: [],
  refusals: [],
  due: [],
  blockedMs: 0
}

const timedOut = ["Test timed out in 20000ms.\nIf this is a long-running test, pass a timeout value"]

describe("A test that waits", () => {
  it("fails where it does not end without a timer, with each place that sets one", () => {
    const verdict = Judgement.verdict({
      ...observed,
      errors: timedOut,
      due: [timer(500), timer(500), timer(100)]
    })
    assert.include(verdict, "test/unit")
    assert.deepStrictEqual(verdict?.match(/^ {2}.*$/gm), [
      "  500 ms, set at src/Some.ts:500",
      "  100 ms, set at src/Some.ts:100"
    ])
  })

  it("passes where it ends without the timers that were due", () => {
    assert.isNull(Judgement.verdict({ ...observed, due: [timer(500)] }))
  })

  it("is not blamed on timers where it fails for another reason, or none was due", () => {
    assert.isNull(Judgement.verdict({ ...observed, due: [timer(500)], errors: ["expected 1 to equal 2"] }))
    assert.isNull(Judgement.verdict({ ...observed, errors: timedOut }))
  })

  it("fails where it blocks its thread", () => {
    assert.include(Judgement.verdict({ ...observed, blockedMs: 150 }), "150 ms")
    assert.isNull(Judgement.verdict({ ...observed, blockedMs: 20 }))
  })
})

describe("A timer", () => {
  it("is the runner's where the runner itself sets it", () => {
    const node = frame("node:timers")
    assert.isTrue(HeldTimers.isLimit([node, frame("/r/node_modules/vitest/dist/run.js"), frame("/r/a.ts")]))
    assert.isFalse(HeldTimers.isLimit([node, frame("/r/a.ts"), frame("/r/node_modules/vitest/dist/run.js")]))
    assert.isFalse(HeldTimers.isLimit([frame("/r/node_modules/@effect/vitest/dist/index.js")]))
    assert.isFalse(HeldTimers.isLimit([node]))
    assert.isTrue(HeldTimers.isLimit([node, frame("/r/test/support/Until.ts"), frame("/r/a.ts")]))
  })

  it("is traced through the frames of a stack, with and without the name of a function", () => {
    const stack = [
      "Error",
      "    at setTimeout (node:timers:144:19)",
      "    at file:///r/a.ts:3:7",
      "    at Object.run [as x] (/r/b.ts:12:3)"
    ].join("\n")
    assert.deepStrictEqual(HeldTimers.framesOf(stack), [
      { scriptName: "node:timers", lineNumber: 144 },
      { scriptName: "file:///r/a.ts", lineNumber: 3 },
      { scriptName: "/r/b.ts", lineNumber: 12 }
    ])
  })

  it("is named by the nearest line of the repository, or by what the fiber runs", () => {
    const effect = frame("/r/node_modules/effect/dist/internal/effect.js", 7)
    assert.strictEqual(
      HeldTimers.siteOf([effect, frame(`file://${process.cwd()}/src/A.ts`, 3)], []),
      "src/A.ts:3"
    )
    assert.strictEqual(HeldTimers.siteOf([effect], ["Inner.poll", "Outer.run"]), "Inner.poll in Outer.run")
    assert.strictEqual(HeldTimers.siteOf([effect], []), `${effect.scriptName}:7`)
  })

  it("does not run if it is long enough, however it is set; shorter ones do", async () => {
    const due: Array<number> = []
    HeldTimers.hold(({ ms }) => due.push(ms), 20)
    const { promise, resolve } = Promise.withResolvers<void>()
    let long = 0
    const timers = [setTimeout(() => long++, 20), setInterval(() => long++, 21)]
    void pause(22).then(() => long++)
    AbortSignal.timeout(23).addEventListener("abort", () => long++)
    let ticks = 0
    const short = setInterval(() => ++ticks === 4 && resolve(), 10)
    await promise
    clearInterval(short)
    for (const each of timers) clearTimeout(each)
    assert.deepStrictEqual([ticks, long], [4, 0])
    assert.includeMembers(due, [20, 21, 22, 23])
  })
})

describe("A process", () => {
  const unit = { group: "unit", process: null } as const
  const declared = { group: "service", process: "it is the first start" } as const
  const node = { program: process.execPath, args: ["node", "bin/inferlog.js", "log", "verify"] }
  const server = { program: process.execPath, args: ["node", "bin/inferlog.js", "serve"] }

  it("is not started by a unit test, whatever its file says", () => {
    assert.include(Judgement.refusal({ ...unit, process: "why not" }, node, 0), "test/unit started node")
  })

  it("is started by a test of a service where its file declares it: Node, one server at a time", () => {
    assert.isNull(Judgement.refusal(declared, server, 0))
    assert.isNull(Judgement.refusal(declared, node, 1))
    assert.include(Judgement.refusal({ ...declared, process: null }, node, 0), "@process")
    assert.include(Judgement.refusal(declared, server, 1), "one at a time")
  })

  it("is another program where its file names it", () => {
    const npm = { program: "npm", args: ["npm", "start"] }
    assert.include(Judgement.refusal(declared, npm, 0), "started npm")
    assert.isNull(Judgement.refusal({ ...declared, process: "npm, sh: it is as printed" }, npm, 0))
  })

  it("is declared in the comment at the top of a file", () => {
    const { parse } = TestFiles
    const head = "/**\n * The first start.\n *\n * @process why: it is\n * about this.\n "
    assert.strictEqual(parse("a.test.ts", "service", head).process, "why: it is about this.")
  })

  it("lets timers run in that file, but in no unit test", () => {
    assert.isTrue(Judgement.mayWait(declared))
    assert.isFalse(Judgement.mayWait({ ...declared, process: null }))
    assert.isFalse(Judgement.mayWait({ ...unit, process: "why not" }))
  })
})
