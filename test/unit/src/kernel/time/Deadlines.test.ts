import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as Deadlines from "#src/kernel/time/Deadlines.ts"

describe("Deadlines", () => {
  it.effect("run at their time, in its order, whatever their durations", () =>
    Effect.gen(function* () {
      const deadlines = yield* Deadlines.make
      const ran: Array<string> = []
      deadlines.after(100, () => ran.push("a"))
      yield* TestClock.adjust(50)
      deadlines.after(100, () => ran.push("c"))
      deadlines.after(60, () => ran.push("b"))
      yield* TestClock.adjust(50)
      assert.deepStrictEqual(ran, ["a"])
      yield* TestClock.adjust(10)
      assert.deepStrictEqual(ran, ["a", "b"])
      yield* TestClock.adjust(40)
      assert.deepStrictEqual(ran, ["a", "b", "c"])
    })
  )

  it.effect("run later than the call, however short they are", () =>
    Effect.gen(function* () {
      const deadlines = yield* Deadlines.make
      const ran: Array<string> = []
      deadlines.after(0, () => ran.push("a"))
      assert.deepStrictEqual(ran, [])
      yield* Effect.yieldNow
      assert.deepStrictEqual(ran, ["a"])
    })
  )

  it.effect("run although one before them fails", () =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ message }) => void lines.push(message))
      const deadlines = yield* Deadlines.make.pipe(Effect.provide(Logger.layer([logger])))
      const ran: Array<string> = []
      deadlines.after(100, () => {
        throw new Error("a bug")
      })
      deadlines.after(100, () => ran.push("b"))
      yield* TestClock.adjust(100)
      deadlines.after(100, () => ran.push("c"))
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(ran, ["b", "c"])
      assert.lengthOf(lines, 1)
    })
  )

  it.effect("do not run once cancelled, and later ones still do", () =>
    Effect.gen(function* () {
      const deadlines = yield* Deadlines.make
      const ran: Array<string> = []
      const cancel = deadlines.after(100, () => ran.push("a"))
      yield* TestClock.adjust(50)
      cancel()
      deadlines.after(100, () => ran.push("b"))
      yield* TestClock.adjust(99)
      assert.deepStrictEqual(ran, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(ran, ["b"])
      deadlines.after(100, () => ran.push("c"))
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(ran, ["b", "c"])
    })
  )
})
