import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as TimeLimit from "#src/features/dispatch/TimeLimit.ts"
import * as Deadlines from "#src/kernel/time/Deadlines.ts"

/** What happens under a limit of 100 ms, with 50 ms more to react. */
const limited = Effect.gen(function* () {
  const facts: Array<string> = []
  const end = TimeLimit.begin({ interrupt: () => facts.push("interrupted") }, yield* Deadlines.make, {
    ms: 100,
    onExpiry: () => facts.push("expired"),
    graceMs: 50
  })
  return { facts, end }
})

describe("TimeLimit", () => {
  it.effect("does nothing to what ends before the limit", () =>
    Effect.gen(function* () {
      const { end, facts } = yield* limited
      yield* TestClock.adjust(99)
      end()
      yield* TestClock.adjust(200)
      assert.deepStrictEqual(facts, [])
    })
  )

  it.effect("does not interrupt what ends soon after the limit", () =>
    Effect.gen(function* () {
      const { end, facts } = yield* limited
      yield* TestClock.adjust(149)
      end()
      yield* TestClock.adjust(200)
      assert.deepStrictEqual(facts, ["expired"])
    })
  )

  it.effect("interrupts what does not end after the limit", () =>
    Effect.gen(function* () {
      const { facts } = yield* limited
      yield* TestClock.adjust(149)
      assert.deepStrictEqual(facts, ["expired"])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(facts, ["expired", "interrupted"])
    })
  )
})
