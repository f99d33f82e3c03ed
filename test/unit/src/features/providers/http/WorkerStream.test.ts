import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Money from "#domain/Money.ts"
import * as WorkerStream from "#src/features/providers/http/WorkerStream.ts"
import * as OutputChunks from "#src/features/providers/OutputChunks.ts"
import type { Take } from "#src/features/providers/ProviderStream.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as RecordedControl from "#test/support/src/features/providers/contract/RecordedControl.ts"

/** The end of a run with this stream, and what was reported until then. */
const read = Effect.fnUntraced(function* (...events: ReadonlyArray<string>) {
  const recorded = yield* RecordedControl.make
  yield* recorded.stop
  const { model } = testModel("test/streams", { output: { stream: "text" } })
  const chunks = OutputChunks.make({ model }, recorded.control)
  if (chunks === null) return yield* Effect.die(new Error("expected a model that streams"))
  const each = (take: Take) =>
    Effect.sync(() => void events.every((event) => take(Buffer.from(`${event}\n\n`))))
  const report = yield* WorkerStream.read({ each }, chunks, recorded.control)
  return { ...recorded, ended: report._tag === "Ended" ? yield* chunks.ended(report.outcome) : report }
})

const chunk = (text: string) => `event: chunk\ndata: ${JSON.stringify(text)}`

describe("A worker's stream", () => {
  it.effect("ends with what its chunks add up to, and with the worker's measures", () =>
    Effect.gen(function* () {
      const { chunks, ended } = yield* read(
        chunk("a"),
        ": still here",
        "event: unknown\ndata: 1",
        chunk("b"),
        'event: completed\ndata: {"units": 2.5, "seconds": 3}'
      )
      assert.deepStrictEqual(ended, {
        _tag: "Succeeded",
        output: "ab",
        delivered: Option.getOrNull(Money.quantityOf(2.5)),
        seconds: 3
      })
      assert.deepStrictEqual(chunks, ["a", "b"])
    })
  )

  it.effect("ends with the output of its last event if that has one", () =>
    Effect.gen(function* () {
      const { chunks, ended, restarts } = yield* read(chunk("a"), 'event: completed\ndata: {"output": "A"}')
      assert.deepInclude(ended, { _tag: "Succeeded", output: "A" })
      assert.deepStrictEqual([chunks, restarts()], [["A"], 1])
    })
  )

  it.effect("may begin its output again", () =>
    Effect.gen(function* () {
      const { chunks, ended, restarts } = yield* read(
        chunk("a"),
        "event: restart\ndata:",
        chunk("b"),
        "event: completed\ndata: {}"
      )
      assert.deepInclude(ended, { _tag: "Succeeded", output: "b" })
      assert.deepStrictEqual([chunks, restarts()], [["b"], 1])
    })
  )

  it.effect("reports progress and lines", () =>
    Effect.gen(function* () {
      const { reports } = yield* read(
        'event: progress\ndata: {"progress": 0.25}',
        "event: progress\ndata: 0.5",
        "event: log\ndata: one\ndata: two",
        "event: completed\ndata: {}"
      )
      assert.deepStrictEqual(reports, [
        { fraction: 0.25, logs: [] },
        { fraction: 0.5, logs: [] },
        { fraction: null, logs: ["one", "two"] }
      ])
    })
  )

  it.effect("takes only the newest of very many lines", () =>
    Effect.gen(function* () {
      const { reports } = yield* read(
        `event: log\n${"data: x\n".repeat(100_000)}data: last`,
        "event: completed\ndata: {}"
      )
      const [report] = reports
      if (report === undefined || report === "started") return assert.fail("expected lines")
      assert.isBelow(report.logs.length, 50_000)
      assert.strictEqual(report.logs.at(-1), "last")
    })
  )

  it.effect("fails as its last event says", () =>
    Effect.gen(function* () {
      const { ended } = yield* read(chunk("a"), 'event: failed\ndata: {"error": "CUDA out of memory"}')
      assert.deepStrictEqual(ended, { _tag: "ModelFailed", message: "CUDA out of memory" })
    })
  )

  it.effect("ends a cancelled run with what it has made", () =>
    Effect.gen(function* () {
      const { ended } = yield* read(chunk("a"), "event: cancelled\ndata: {}", chunk("b"))
      assert.deepStrictEqual(ended, { _tag: "CutShort", output: "a" })
    })
  )

  it.effect("without an end may be tried again", () =>
    Effect.gen(function* () {
      const { ended } = yield* read(chunk("a"))
      assert.isTrue(ended._tag === "ProviderError" && ended.retryable)
    })
  )

  it.effect.each([
    ["a chunk of another kind", "event: chunk\ndata: 1", "answer is not one of its protocol."],
    ["a chunk that is not JSON", "event: chunk\ndata: a", "event is text, not JSON."],
    ["a chunk with NaN", 'event: chunk\ndata: {"a":[NaN]}', "event is not JSON: NaN at /a/0."],
    ["a malformed end", "event: failed\ndata: {}", "answer is not one of its protocol."],
    ["an end that is not JSON", "event: completed\ndata: {", "event is not JSON: its end."]
  ] as const)("with %s is not repeated, and says so", ([, event, message]) =>
    Effect.gen(function* () {
      const { ended } = yield* read(event)
      assert.deepStrictEqual(ended, { _tag: "ModelFailed", message: `The provider's ${message}` })
    })
  )
})
