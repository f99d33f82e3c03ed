import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { supervise } from "#src/kernel/async/Supervise.ts"

describe("supervise", () => {
  it.effect("restarts failures and defects, and logs once a minute", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make<unknown, void>(({ message }) => void lines.push(message))
    let starts = 0
    const failing = Effect.suspend(() => (++starts % 2 === 0 ? Effect.die("a bug") : Effect.fail("away")))
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(supervise("A reactor", failing))
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(starts, 60)
      assert.lengthOf(lines, 1)
      yield* TestClock.adjust("2 seconds")
      assert.lengthOf(lines, 2)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.effect("ends with the supervised effect", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* supervise("A reactor", Effect.succeed("done")), "done")
    })
  )
})
