/**
 * The rules of the contract's "States and transitions": each test is named by its text. Excludes the delivery of
 * webhooks.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Money from "#domain/Money.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded } from "#test/support/TestModels.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

import {
  counted,
  ended,
  invalid,
  nodeOf,
  nothing,
  patient,
  retrieved,
  row,
  spent,
  statusOf
} from "#test/support/src/features/requests/TransitionClient.ts"

describe("Rules", () => {
  row(
    "1. A fast request may go from IN_QUEUE straight to a terminal state",
    Effect.gen(function* () {
      const provider = yield* TestProvider
      provider.answerWith((_, { started }) => Effect.as(started, succeeded()))
      const id = yield* Facts.submit()
      yield* Facts.untilEnd(id)
      assert.deepStrictEqual(yield* Facts.types(id), [
        "RequestSubmitted",
        "DispatchStarted",
        "RequestStarted",
        "OutputReceived",
        "RequestCompleted"
      ])
      assert.strictEqual((yield* statusOf(id)).body["status"], "COMPLETED")
    })
  )

  it.effect("2. The sweep runs every 60 seconds", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const id = yield* Facts.submit({ model: patient })
      const run = yield* provider.next
      yield* run.does(({ accepted }) => accepted("job-1"))
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(provider.looked(), [])
      yield* Effect.forkScoped(TestClock.adjust("1 second"))
      yield* Facts.untilType(id, "SweepRetried")
      assert.deepStrictEqual(provider.looked(), ["job-1"])
    }).pipe(Effect.scoped, Effect.provide(nodeOf(true)))
  )

  row(
    "3. A real success is status COMPLETED with billingStatus charged or partial. Status COMPLETED alone does not prove success",
    Effect.gen(function* () {
      const outcomes = {
        charged: { ...succeeded(), delivered: Money.units(4) },
        partial: { ...succeeded(), delivered: Money.units(3) },
        failed: { _tag: "ModelFailed", message: "no picture" }
      } as const
      for (const [billing, outcome] of Object.entries(outcomes)) {
        const id = yield* ended(outcome, counted)
        const told = yield* retrieved(id)
        assert.deepStrictEqual([told["status"], told["billingStatus"]], ["COMPLETED", billing])
        assert.strictEqual(told["output"] !== null, billing !== "failed")
      }
      assert.deepStrictEqual(yield* spent, { charged: "0.014", reserved: "0" })
    })
  )

  row(
    "4. Billing: only a request reaching COMPLETED with output is charged; FAILED and CANCELLED are not",
    Effect.gen(function* () {
      yield* ended({ _tag: "ProviderError", message: "refused", retryable: false })
      yield* ended({ _tag: "ModelFailed", message: "failed" })
      yield* ended(succeeded({ label: 1 }), invalid)
      const id = yield* Facts.submit()
      const run = yield* (yield* TestProvider).next
      yield* (yield* RequestActors).execute(id, { _tag: "Cancel", at: 0 })
      yield* run.stopRequested
      yield* run.ends({ _tag: "Stopped" })
      yield* Facts.untilEnd(id)
      assert.deepStrictEqual(yield* spent, nothing)
      yield* ended(succeeded())
      assert.deepStrictEqual(yield* spent, { charged: "0.001", reserved: "0" })
    })
  )
})
