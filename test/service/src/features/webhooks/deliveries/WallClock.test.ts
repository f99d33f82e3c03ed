/** The wall clock is set while the program runs: waiting deliveries are due after the intended time. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as SettableClock from "#test/support/SettableClock.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as Facts from "#test/support/src/features/webhooks/deliveries/DeliveryFacts.ts"
import * as Hook from "#test/support/src/features/webhooks/deliveries/Hook.ts"

const hours = (count: number) => Duration.toMillis(Duration.hours(count))

const layer = TestNode.layer({ models: [Facts.model], delivers: true })

describe("When the wall clock is set", () => {
  for (const [direction, step] of [
    ["six hours ahead", hours(6)],
    ["six hours back", -hours(6)]
  ] as const) {
    it.effect(`${direction}, attempts come on time, and carry the time of the wall clock`, () =>
      Effect.gen(function* () {
        const { clock, set } = yield* SettableClock.make
        const hook = yield* Hook.make(500)
        yield* Effect.gen(function* () {
          const others = yield* Effect.forEach([1, 2, 3], () => Facts.ended(hook.url))
          const { id } = yield* Facts.ended(hook.url)
          let at = 0
          let steps = 0
          for (let attempt = 1; attempt <= 4; attempt++) {
            yield* Facts.untilAttempts(id, attempt)
            for (const other of others) yield* Facts.untilAttempts(other.id, attempt)
            yield* TestClock.adjust(1_000)
            set(step)
            steps += step
            yield* Facts.rest
            yield* TestClock.adjust(Facts.delayAfter(attempt) - 1_001)
            yield* Facts.rest
            assert.lengthOf(hook.posted(), attempt * 4)
            yield* TestClock.adjust(1)
            at += Facts.delayAfter(attempt)
            for (const posted of [yield* hook.until(attempt * 4 + 1), yield* hook.until(attempt * 4 + 4)]) {
              assert.strictEqual(posted.at, at)
              const shown = Math.floor((at + hours(24) + steps) / 1_000)
              assert.strictEqual(posted.headers["webhook-timestamp"], String(shown))
            }
          }
          yield* Facts.rest
          assert.lengthOf(hook.posted(), 20)
        }).pipe(Effect.provide(layer), Effect.provideService(Clock.Clock, clock))
      })
    )
  }
})
