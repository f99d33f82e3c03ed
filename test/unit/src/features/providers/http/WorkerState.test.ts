import { assert, describe, it } from "@effect/vitest"
import type { Json } from "#domain/CanonicalJson.ts"
import * as Money from "#domain/Money.ts"
import type { JobReport } from "#src/features/providers/JobReport.ts"
import * as WorkerState from "#src/features/providers/http/WorkerState.ts"

const succeeded = (
  output: Json,
  logs: ReadonlyArray<string> = [],
  units: number | null = null
): JobReport => ({
  _tag: "Ended",
  outcome: {
    _tag: "Succeeded",
    output,
    delivered: units === null ? null : Money.millionths(units)
  },
  logs
})

const failed = (message: string): JobReport => ({
  _tag: "Ended",
  outcome: { _tag: "ModelFailed", message },
  logs: []
})

const states: ReadonlyArray<readonly [string, Json, JobReport | null]> = [
  ["an output", { output: { a: 1 } }, succeeded({ a: 1 })],
  ["an output that is null", { output: null }, succeeded(null)],
  ["an output beside an error that is none", { output: 1, error: null }, succeeded(1)],
  ["units, also a part of one", { output: 1, units: 2.5 }, succeeded(1, [], 2_500_000)],
  ["units to the millionth", { output: 1, units: 999_999_999.740993 }, succeeded(1, [], 999_999_999_740_993)],
  ["more units than a number holds", { output: 1, units: 1_000_000_001 }, null],
  ["no units", { output: 1, units: null }, succeeded(1)],
  ["logs as a list", { output: 1, logs: ["a", "b"] }, succeeded(1, ["a", "b"])],
  ["logs as a text", { output: 1, logs: "a\r\nb" }, succeeded(1, ["a", "b"])],
  ["an error", { error: "no memory" }, failed("no memory")],
  ["an error beside an output", { error: "no memory", output: 1 }, failed("no memory")],
  ["an error with members", { error: { message: "no memory", code: 7 } }, failed("no memory")],
  ["an error without words", { error: "" }, failed("The provider reports that the run has failed.")],
  ["an error that controls a terminal", { error: "a\u001b[31mb\u202e" }, failed("a [31mb")],
  ["queued", { status: "queued" }, { _tag: "Waiting" }],
  ["running", { status: "running" }, { _tag: "Running", fraction: null, logs: [] }],
  [
    "running, with a line that is not whole",
    { status: "running", progress: 0.5, logs: "a\nb" },
    { _tag: "Running", fraction: 0.5, logs: ["a"] }
  ],
  ["cancelled", { status: "cancelled" }, { _tag: "Ended", outcome: { _tag: "Stopped" }, logs: [] }],
  ["another status", { status: "finished" }, null],
  ["more progress than there is", { status: "running", progress: 2 }, null],
  ["fewer units than none", { output: 1, units: -1 }, null],
  ["an empty object", {}, null],
  ["a text", "output", null]
]

describe("WorkerState", () => {
  it.each(states)("reads %s", (_, json, report) => {
    assert.deepStrictEqual(WorkerState.read(json), report)
  })

  it("rejects invalid JSON", () => {
    assert.isNull(WorkerState.read(undefined))
  })
})
