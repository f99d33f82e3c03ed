import { assert, describe, it } from "@effect/vitest"
import { Effect, Sink, Stdio } from "effect"
import { TestClock } from "effect/testing"
import * as ProgressLine from "#src/cli/ProgressLine.ts"

describe("ProgressLine.format", () => {
  it("shows progress, rate and remaining time", () => {
    const line = (events: number, elapsed: number, total: number | null = 1_000_000) =>
      ProgressLine.format({ events, total, elapsed })
    assert.strictEqual(line(12_345, 126), "12,345 of 1,000,000 events  1.2 %  97,976/s  ETA 10 s")
    assert.strictEqual(line(1_000, 1_000), "1,000 of 1,000,000 events  0.1 %  1,000/s  ETA 16 min 39 s")
    assert.strictEqual(line(100, 1_000), "100 of 1,000,000 events  0.0 %  100/s  ETA 2 h 46 min")
    assert.strictEqual(line(1_000_000, 1_000), "1,000,000 of 1,000,000 events  100.0 %  1,000,000/s  ETA 0 s")
  })

  it("omits the percentage when the total is unknown", () => {
    assert.strictEqual(
      ProgressLine.format({ events: 0, total: 10, elapsed: 0 }),
      "0 of 10 events  0.0 %  0/s"
    )
    assert.strictEqual(
      ProgressLine.format({ events: 1_500, total: null, elapsed: 500 }),
      "1,500 events  3,000/s"
    )
    assert.strictEqual(ProgressLine.format({ events: 0, total: 0, elapsed: 0 }), "0 events  0/s")
    assert.strictEqual(
      ProgressLine.format({ events: 12, total: 10, elapsed: 1_000 }),
      "12 of 10 events  100.0 %  12/s  ETA 0 s"
    )
  })
})

describe("ProgressLine.make", () => {
  const reportTwice = Effect.fnUntraced(function* (isTerminal: boolean) {
    const written: Array<string> = []
    const stdio = Stdio.layerTest({
      stderrIsTerminal: Effect.succeed(isTerminal),
      stderr: () => Sink.forEach((text: string | Uint8Array) => Effect.sync(() => written.push(String(text))))
    })
    yield* Effect.gen(function* () {
      const progress = yield* ProgressLine.make(100)
      yield* progress.report(10)
      yield* TestClock.adjust("1 second")
      yield* progress.report(20)
      yield* progress.report(30)
      yield* progress.clear
    }).pipe(Effect.provide(stdio))
    return written
  })

  it.effect("overwrites its line periodically, and clears it at the end", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* reportTwice(true), [
        "\r\u001b[K20 of 100 events  20.0 %  20/s  ETA 4 s",
        "\r\u001b[K"
      ])
    })
  )

  it.effect("prints nothing when stdout is not a terminal", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* reportTwice(false), [])
    })
  )
})
