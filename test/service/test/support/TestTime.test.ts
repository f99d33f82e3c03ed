/** What long virtual times cost, as counts: wake-ups of a node are what a day under the test clock takes. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"
import * as DueWorkLoop from "#src/platform/reactors/DueWorkLoop.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as TestTime from "#test/support/TestTime.ts"
import * as Facts from "#test/support/src/features/webhooks/deliveries/DeliveryFacts.ts"
import * as Hook from "#test/support/src/features/webhooks/deliveries/Hook.ts"

const layer = TestNode.layer({ models: [Facts.model], delivers: true })

/** Counts the wakeUps on the test's clock that end. */
const countedWakeUps = <A, E, R>(test: (count: () => number) => Effect.Effect<A, E, R>) =>
  Clock.clockWith((clock) => {
    let count = 0
    const sleep = (duration: Duration.Duration) => Effect.map(clock.sleep(duration), () => void count++)
    return Effect.provideService(
      test(() => count),
      Clock.Clock,
      { ...clock, sleep }
    )
  })

describe("Time that passes on a node", () => {
  it.effect(
    "wakes an idle node four times a minute: once each loop over due rows, and twice the look for recoveries",
    () =>
      countedWakeUps((wakeUps) =>
        Effect.gen(function* () {
          yield* TestTime.pass("1 minute")
          const before = wakeUps()
          yield* TestTime.pass("1 hour")
          assert.strictEqual(yield* Clock.currentTimeMillis, 61 * 60_000)
          assert.isAtMost(wakeUps() - before, 4 * 60 + 4)
        }).pipe(Effect.provide(layer))
      )
  )

  it.effect("makes every attempt of webhooks at its ms within a day", () =>
    countedWakeUps((wakeUps) =>
      Effect.gen(function* () {
        const hook = yield* Hook.make(503)
        yield* Effect.replicateEffect(Facts.ended(hook.url), 10)
        const before = wakeUps()
        yield* TestTime.pass("24 hours")
        const schedule = [0, 5, 35, 155, 455, 1_055, 2_255, 4_055, 6_755, 10_355].map((at) => at * 1_000)
        const posted = hook.posted().map(({ at }) => at)
        assert.deepStrictEqual(
          posted,
          schedule.flatMap((at) => Array.from({ length: 10 }, () => at))
        )
        // 24 hours of minutes, the attempts with their time limits, and the looks of the two loops at them.
        assert.isAtMost(wakeUps() - before, 4 * 24 * 60 + 10 * 100)
      }).pipe(Effect.provide(layer))
    )
  )

  it.effect("is 31 days in a few wake-ups when reactors are not asked to look each minute", () =>
    countedWakeUps((wakeUps) =>
      Effect.gen(function* () {
        yield* TestTime.pass("31 days")
        assert.strictEqual(yield* Clock.currentTimeMillis, Duration.toMillis("31 days"))
        assert.isAtMost(wakeUps(), 4 * 31 * 24 + 20)
      }).pipe(
        Effect.provide(layer),
        Effect.provideService(DueWorkLoop.RecoveryInterval, Duration.toMillis("1 hour"))
      )
    )
  )
})
