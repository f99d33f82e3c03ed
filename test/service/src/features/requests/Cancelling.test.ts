import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as Status from "#domain/inference-request/Status.ts"
import * as AppendFaults from "#test/support/AppendFaults.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { single, succeeded, triple } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

const layer = TestNode.layer()
const transportError: ProviderOutcome = { _tag: "ProviderError", message: "reset", retryable: true }

/** Cancels a running request whose provider ends in `outcome` when it is stopped. */
const cancelRunning = Effect.fnUntraced(function* (outcome: ProviderOutcome) {
  const id = yield* Facts.submit()
  const run = yield* (yield* TestProvider).next
  const cancelling = yield* Effect.forkChild(Facts.cancel(id))
  yield* run.stopRequested
  yield* run.ends(outcome)
  return yield* Fiber.join(cancelling)
})

describe("Requests.cancel", () => {
  it.effect("ends a waiting request at once; it never runs", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      yield* Facts.submit()
      const running = yield* provider.next
      const id = yield* Facts.submit()
      const { cancel, request } = yield* Facts.cancel(id)
      assert.deepStrictEqual(cancel, { accepted: true, reason: "The request is cancelled and not billed." })
      assert.strictEqual(Status.outcome(request), "cancelled")
      const next = yield* Facts.submit()
      yield* running.ends(succeeded())
      assert.strictEqual((yield* provider.next).job.requestId, next)
      assert.deepStrictEqual(yield* Facts.types(id), [
        "RequestSubmitted",
        "CancelRequested",
        "RequestCancelled"
      ])
    }).pipe(Effect.provide(layer))
  )

  it.effect("ends a request that waits for its next attempt", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const id = yield* Facts.submit()
      yield* (yield* provider.next).ends(transportError)
      yield* Facts.untilType(id, "RequestRequeued")
      yield* Facts.snapshot(id)
      assert.strictEqual((yield* Facts.cancel(id)).request.phase._tag, "Cancelled")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(provider.begun().length, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("stops a run at the provider, which is then not billed", () =>
    Effect.gen(function* () {
      const { cancel, request } = yield* cancelRunning({ _tag: "Stopped" })
      assert.isTrue(cancel.accepted)
      assert.strictEqual(Status.status(request), "CANCELLED")
      assert.strictEqual(Status.billingStatus(request), "failed")
      assert.strictEqual(Status.cost(request), 0n)
    }).pipe(Effect.provide(layer))
  )

  it.effect("does not repeat a run that ended in a transport error after the cancel", () =>
    Effect.gen(function* () {
      const { cancel, request } = yield* cancelRunning(transportError)
      assert.isTrue(cancel.accepted)
      assert.strictEqual(Status.status(request), "CANCELLED")
    }).pipe(Effect.provide(layer))
  )

  it.effect("is too late for a run that finishes first: it is billed", () =>
    Effect.gen(function* () {
      const { cancel, request } = yield* cancelRunning(succeeded())
      assert.deepStrictEqual(cancel, {
        accepted: false,
        reason: "The run finished before the provider could stop it."
      })
      assert.strictEqual(Status.billingStatus(request), "charged")
      assert.strictEqual(Status.cost(request), 1_000_000n)
    }).pipe(Effect.provide(layer))
  )

  it.effect("answers after two seconds that the cancel was passed on, and lets the run finish", () =>
    Effect.gen(function* () {
      const id = yield* Facts.submit()
      const run = yield* (yield* TestProvider).next
      const cancelling = yield* Effect.forkChild(Facts.cancel(id))
      yield* run.stopRequested
      yield* TestClock.adjust("1999 millis")
      assert.isUndefined(cancelling.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      const { cancel, request } = yield* Fiber.join(cancelling)
      assert.deepStrictEqual(cancel, {
        accepted: true,
        reason: "The provider has been asked to stop the run."
      })
      assert.strictEqual(request.phase._tag, "Dispatched")
      yield* run.ends(succeeded())
      assert.lengthOf(Facts.ofType(yield* Facts.untilEnd(id), "RequestCompleted"), 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("changes nothing of an ended request", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const id = yield* Facts.submit()
      yield* (yield* provider.next).ends(succeeded())
      yield* Facts.untilEnd(id)
      const before = yield* Facts.snapshot(id)
      const { cancel, ...after } = yield* Facts.cancel(id)
      assert.deepStrictEqual(cancel, { accepted: false, reason: "The request had completed." })
      assert.deepStrictEqual(after, before)
    }).pipe(Effect.provide(layer))
  )

  it.effect("may be repeated, at once or later", () =>
    Effect.gen(function* () {
      const id = yield* Facts.submit()
      const run = yield* (yield* TestProvider).next
      const both = yield* Effect.forkChild(
        Effect.all([Facts.cancel(id), Facts.cancel(id)], { concurrency: 2 })
      )
      yield* run.stopRequested
      yield* run.ends({ _tag: "Stopped" })
      assert.isTrue((yield* Fiber.join(both)).every(({ cancel }) => cancel.accepted))
      const { cancel } = yield* Facts.cancel(id)
      assert.deepStrictEqual(cancel, { accepted: false, reason: "The request had been cancelled." })
      const all = yield* Facts.types(id)
      assert.deepStrictEqual(all.slice(2), ["CancelRequested", "RequestCancelled"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("applies only to the account's own request of the model", () =>
    Effect.gen(function* () {
      const requests = yield* Requests
      const id = yield* Facts.submit()
      const tried = (account: string | undefined, model: typeof single) =>
        Effect.flip(requests.cancel({ caller: Facts.caller(account), id, endpoint: model.model.endpoint }))
      assert.strictEqual((yield* tried("acc_other", single))._tag, "RequestForbidden")
      assert.strictEqual((yield* tried(undefined, triple))._tag, "RequestNotFound")
      assert.notInclude(yield* Facts.types(id), "CancelRequested")
    }).pipe(Effect.provide(layer))
  )

  it.effect("fails when it cannot be recorded, and may then be repeated", () =>
    Effect.gen(function* () {
      const faults = yield* AppendFaults.AppendFaults
      yield* Facts.submit()
      yield* (yield* TestProvider).next
      const id = yield* Facts.submit()
      faults.fail("CancelRequested", 1)
      assert.strictEqual((yield* Effect.flip(Facts.cancel(id)))._tag, "EventStoreError")
      assert.isTrue((yield* Facts.cancel(id)).cancel.accepted)
    }).pipe(Effect.provide(layer))
  )
})
