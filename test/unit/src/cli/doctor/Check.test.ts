import { assert, describe, it } from "@effect/vitest"
import { Config, ConfigProvider, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Check from "#src/cli/doctor/Check.ts"

const run = (look: Check.Check["look"]) => Check.run({ name: "one", look })

describe("A check of doctor", () => {
  it.effect("fails when it takes too long", () =>
    Effect.gen(function* () {
      const running = yield* Effect.forkChild(run(Effect.never))
      yield* TestClock.adjust("15 seconds")
      const found = yield* Fiber.join(running)
      assert.include(found, { name: "one", outcome: "failed", detail: "There was no answer for 15s" })
    })
  )

  it.effect("fails with the message of an error, and of a bug", () =>
    Effect.gen(function* () {
      const wrong = new Error("it is\nwrong")
      for (const look of [Effect.fail(wrong), Effect.die(wrong)])
        assert.include(yield* run(look), { outcome: "failed", detail: "it is wrong" })
    })
  )

  it.effect("is skipped when a setting that it needs is wrong", () =>
    Effect.gen(function* () {
      const look = Effect.as(Config.Port("PORT"), Check.ok("never"))
      const provider = ConfigProvider.fromEnv({ env: { PORT: "hunter2" } })
      const found = yield* Effect.provide(run(look), ConfigProvider.layer(provider))
      assert.include(found, { outcome: "skipped" })
      assert.notInclude(JSON.stringify(found), "hunter2")
    })
  )

  it("joins verdicts to the worst, without those that need nothing", () => {
    const verdicts = [Check.ok("a"), Check.warning("b", "mend b"), Check.failed("c", "mend c")]
    assert.deepStrictEqual(Check.all(verdicts), {
      outcome: "failed",
      detail: "b; c",
      remedy: "mend b. mend c"
    })
    assert.deepStrictEqual(Check.all([Check.ok("a"), Check.ok("d")]), Check.ok("a; d"))
    assert.deepStrictEqual(Check.all([Check.skipped("e")]), Check.skipped("e"))
  })
})
