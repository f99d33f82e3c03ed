import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Grant from "#domain/account/Grant.ts"
import { RequestId } from "#domain/Ids.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import * as AppendFaults from "#test/support/AppendFaults.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { single, succeeded } from "#test/support/TestModels.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import {
  keyed,
  layer,
  limited,
  logged,
  submit,
  waiting,
  settled
} from "#test/support/src/features/requests/Submits.ts"

describe("Requests.submit", () => {
  it.effect("returns the request as accepted, with a readable input", () =>
    Effect.gen(function* () {
      const requests = yield* Requests
      const webhook = { url: "https://acme.dev/hook", events: ["completed"], filtered: true } as const
      const caller = Facts.caller()
      const accepted = yield* submit({ metadata: { a: "b" }, webhook })
      assert.isFalse(accepted.replayed)
      assert.deepInclude(accepted.request.submitted, {
        accountId: caller.accountId,
        keyId: caller.keyId,
        model: single.model.endpoint,
        modelVersion: single.model.version,
        metadata: { a: "b" },
        webhook
      })
      assert.deepStrictEqual(accepted.request.phase, { _tag: "Queued", dueAt: 0 })
      assert.deepStrictEqual(yield* requests.payloads(accepted), { input: { value: "in" }, output: null })
    }).pipe(Effect.provide(waiting))
  )

  it.effect("rejects other models for a key with granted models, existing or not", () =>
    Effect.gen(function* () {
      const caller = {
        ...Facts.caller(),
        grant: { ...Grant.unlimited, modelEndpoints: [limited.model.endpoint] }
      }
      const tag = (options: Parameters<typeof submit>[0]) =>
        Effect.map(Effect.flip(submit({ caller, ...options })), ({ _tag }) => _tag)
      assert.strictEqual(yield* tag({}), "ModelNotGranted")
      assert.strictEqual(yield* tag(keyed("a key")), "ModelNotGranted")
      assert.strictEqual(yield* tag({ endpoint: "test/none" }), "ModelNotGranted")
      assert.deepStrictEqual(yield* logged, [])
      assert.isFalse((yield* submit({ caller, model: limited })).replayed)
    }).pipe(Effect.provide(waiting))
  )

  it.effect("records its deadlines relative to the submit, and the usual duration of a run", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("7 seconds")
      const none = yield* submit()
      assert.notProperty(none.request.submitted, "deadlines")
      assert.strictEqual(none.request.submitted.expectedMs, 1_000)
      const both = yield* submit({ deadlines: { startTimeoutMs: 2_000, cancelAfterMs: 5_000 } })
      assert.deepStrictEqual(both.request.submitted.deadlines, { startBy: 9_000, endBy: 12_000 })
      const one = yield* submit({ deadlines: { startTimeoutMs: null, cancelAfterMs: 5_000 } })
      assert.deepStrictEqual(one.request.submitted.deadlines, { endBy: 12_000 })
    }).pipe(Effect.provide(waiting))
  )

  it.effect.each(["test/none", "nothing", "../etc", "__proto__", ""])("rejects the model %j", (endpoint) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(submit({ endpoint })))._tag, "ModelNotFound")
      assert.deepStrictEqual(yield* logged, [])
    }).pipe(Effect.provide(waiting))
  )

  it.effect("rejects an invalid input with every violation, without using up the key", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(submit({ input: { value: 1, more: "x" }, ...keyed("k") }))
      if (error._tag !== "InvalidInput") return assert.fail(error._tag)
      assert.deepStrictEqual(error.issues.map(({ path, code }) => [code, ...path]).sort(), [
        ["additionalProperties", "more"],
        ["type", "value"]
      ])
      assert.deepStrictEqual(yield* logged, [])
      assert.isFalse((yield* submit(keyed("k", "hash of the repaired request"))).replayed)
    }).pipe(Effect.provide(waiting))
  )

  it.effect("rejects requests while the model's queue is full, and accepts them when there is room", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      // One runs, three wait.
      yield* submit({ model: limited })
      const first = yield* provider.next
      const ids = yield* Effect.replicateEffect(Effect.tap(submit({ model: limited }), settled), 3)
      const error = yield* Effect.flip(submit({ model: limited, ...keyed("k") }))
      assert.deepInclude(error, { _tag: "QueueFull", limit: 3, retryAfterSeconds: 5 })
      assert.notInclude(yield* logged, "KeyReserved")
      yield* submit()
      yield* first.ends(succeeded())
      yield* Facts.untilType(ids[0]?.id ?? RequestId.make(""), "DispatchStarted")
      yield* settled
      assert.isFalse((yield* submit({ model: limited, ...keyed("k") })).replayed)
    }).pipe(Effect.provide(layer))
  )

  it.effect("accepts exactly as many parallel requests as may wait", () =>
    Effect.gen(function* () {
      const one = (index: number) =>
        Effect.result(submit({ model: limited, ...(index % 2 === 1 && keyed(`k${index}`)) }))
      const all = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, index) => index),
        one,
        {
          concurrency: "unbounded"
        }
      )
      const refused = all.flatMap((result) => (Result.isFailure(result) ? [result.failure._tag] : []))
      assert.deepStrictEqual(
        refused,
        Array.from({ length: 47 }, () => "QueueFull")
      )
      const [accepted] = all.flatMap((result) => (Result.isSuccess(result) ? [result.success.id] : []))
      yield* Facts.cancel(accepted ?? RequestId.make(""), limited)
      yield* submit({ model: limited })
      assert.strictEqual((yield* Effect.flip(submit({ model: limited })))._tag, "QueueFull")
    }).pipe(Effect.provide(waiting))
  )

  it.effect("gives back the place in the queue of a request that it could not store", () =>
    Effect.gen(function* () {
      const faults = yield* AppendFaults.AppendFaults
      faults.fail("RequestSubmitted", 1)
      assert.strictEqual((yield* Effect.flip(submit({ model: limited })))._tag, "EventStoreError")
      yield* Effect.replicateEffect(submit({ model: limited }), 3)
    }).pipe(Effect.provide(waiting))
  )

  it.effect("accepts only requests that it could store", () =>
    Effect.gen(function* () {
      const faults = yield* AppendFaults.AppendFaults
      faults.fail("RequestSubmitted", 1)
      assert.strictEqual((yield* Effect.flip(submit()))._tag, "EventStoreError")
      assert.deepStrictEqual(yield* logged, [])
      yield* submit()
    }).pipe(Effect.provide(waiting))
  )
})
