/** The forced end (contract, "States and transitions": retried 5 times and older than 6 hours). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as Status from "#domain/inference-request/Status.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import {
  dispatch,
  execute,
  lost,
  models,
  nothing,
  running,
  submit,
  sweep
} from "#test/support/src/features/dispatch/sweep/SweepSupport.ts"

const hour = 60 * 60 * 1_000
const idle = TestNode.layer({ models, dispatches: false })

/** A new request that the sweep has found lost this often. */
const retried = Effect.fnUntraced(function* (times: number) {
  const id = yield* submit()
  for (let attempt = 1; attempt <= times; attempt++) {
    const at = (attempt - 1) * hour
    yield* execute(id, dispatch(at), lost(at, attempt))
  }
  return id
})

describe("A request that does not end", () => {
  it.effect("retried 5 times and older than 6 hours is FAILED for good, and its hold is released", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const stopped: ProviderOutcome = { _tag: "Stopped" }
      provider.answerWith(({ attempt }, { accepted, started, stopRequested }) =>
        Effect.andThen(accepted(`job-${attempt}`), started).pipe(
          Effect.andThen(stopRequested),
          Effect.as(stopped)
        )
      )
      const id = yield* submit()
      for (let minute = 1; minute <= 360; minute++) {
        yield* TestClock.adjust("60 seconds")
        yield* sweep
      }
      const before = yield* Facts.events(id)
      assert.isAtLeast(Facts.ofType(before, "SweepRetried").length, 5)
      assert.deepStrictEqual(Facts.terminal(before), [])

      yield* TestClock.adjust("60 seconds")
      yield* sweep
      const { request } = yield* Facts.snapshot(id)
      const [failed] = Facts.ofType(yield* Facts.events(id), "RequestForceFailed")
      assert.strictEqual(failed?.at, 6 * hour + 60_000)
      assert.strictEqual(failed?.retries, request.sweepRetries)
      assert.strictEqual(Status.status(request), "FAILED")
      assert.strictEqual(Status.billingStatus(request), "failed")
      assert.strictEqual(Status.cost(request), 0n)

      yield* TestClock.adjust("3 hours")
      assert.deepStrictEqual(yield* sweep, nothing)
      assert.strictEqual((yield* Facts.types(id)).at(-1), "RequestForceFailed")
    }).pipe(Effect.provide(TestNode.layer({ models, sweeps: true })))
  )

  it.effect("does not fail earlier: not at six hours sharp, and not with four retries however old", () =>
    Effect.gen(function* () {
      const five = yield* retried(5)
      const four = yield* retried(4)
      yield* TestClock.adjust("6 hours")
      assert.deepStrictEqual(yield* sweep, nothing)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* sweep, { ...nothing, forceFailed: 1 })
      assert.lengthOf(Facts.terminal(yield* Facts.events(five)), 1)
      yield* TestClock.adjust("100 hours")
      assert.deepStrictEqual(yield* sweep, nothing)
      assert.deepStrictEqual(Facts.terminal(yield* Facts.events(four)), [])
    }).pipe(Effect.provide(idle))
  )

  it.effect("fails even when its provider still reports it alive, and the run is stopped", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const { id, run: first } = yield* running("job-1")
      yield* TestClock.adjust("2 seconds")
      let run = first
      for (let retry = 1; retry <= 5; retry++) {
        yield* sweep
        yield* run.stopRequested
        yield* TestClock.adjust("1 hours")
        run = yield* provider.next
        yield* run.does(({ accepted, started }) => Effect.andThen(accepted(`job-${retry + 1}`), started))
      }
      provider.lookAs(() => Effect.succeed({ _tag: "Alive" }))
      yield* sweep
      assert.deepStrictEqual(Facts.terminal(yield* Facts.events(id)), [])
      yield* TestClock.adjust("1 hours")
      assert.deepStrictEqual(yield* sweep, { ...nothing, forceFailed: 1 })
      yield* run.stopRequested
      yield* run.ends({ _tag: "Stopped" })
      const ignored = yield* Facts.untilType(id, "LateOutcomeIgnored")
      assert.deepInclude(ignored, { attempt: 6, outcome: "Stopped" })
    }).pipe(Effect.provide(TestNode.layer({ models })))
  )
})
