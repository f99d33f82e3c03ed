/** Behaviour beyond the contract test of all adapters (https://cog.run/http). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import { PollPace } from "#src/features/providers/Polling.ts"
import * as CogProvider from "#src/features/providers/cog/CogProvider.ts"
import { jobOf } from "#test/support/src/features/providers/contract/AdapterUnderTest.ts"
import * as RecordedControl from "#test/support/src/features/providers/contract/RecordedControl.ts"
import * as Surroundings from "#test/support/src/features/providers/contract/Surroundings.ts"
import type { Behaviour } from "#test/support/src/features/providers/contract/Upstream.ts"
import * as CogUpstream from "#test/support/upstreams/Cog.ts"

const setUp = Effect.fnUntraced(function* (
  options: NonNullable<ProviderBinding["options"]> = {},
  pace = Surroundings.pace
) {
  const upstream = yield* CogUpstream.make
  const surroundings = yield* Layer.build(Surroundings.layer({ COG_TOKEN: upstream.secret }))
  const provider = yield* CogProvider.make.pipe(
    Effect.provideService(PollPace, pace),
    Effect.provide(surroundings)
  )
  const job = jobOf({ ...upstream.binding, name: "cog", options }, upstream.example.input)
  const begin = Effect.fnUntraced(function* (behaviour: Behaviour) {
    yield* upstream.plan(behaviour)
    const recorded = yield* RecordedControl.make
    const fiber = yield* Effect.forkScoped(provider.run(job, recorded.control))
    return { ...recorded, fiber, outcome: Effect.timeout(Fiber.join(fiber), "5 seconds") }
  })
  return { begin, job, provider, upstream }
})

const held: Behaviour = { _tag: "Succeeds", held: true }

describe("The cog adapter", () => {
  it.live("retries a server without a free slot soon, even when it also reports a failed run", () =>
    Effect.gen(function* () {
      const { begin } = yield* setUp()
      const { outcome } = yield* begin({ _tag: "RateLimits" })
      assert.deepStrictEqual(yield* outcome, { _tag: "RateLimited", retryAfterMs: 1_000 })
    }).pipe(Effect.scoped)
  )

  it.live("waits for a server that is loading its model, without counting an attempt", () =>
    Effect.gen(function* () {
      const { begin, upstream } = yield* setUp()
      yield* upstream.setHealth("STARTING")
      const { outcome } = yield* begin({ _tag: "Refuses", status: 503 })
      assert.deepStrictEqual(yield* outcome, { _tag: "RateLimited", retryAfterMs: 5_000 })
    }).pipe(Effect.scoped)
  )

  it.live("does not wait for a server whose model cannot be loaded", () =>
    Effect.gen(function* () {
      const { begin, upstream } = yield* setUp()
      yield* upstream.setHealth("SETUP_FAILED")
      const { outcome } = yield* begin({ _tag: "Refuses", status: 503 })
      assert.deepInclude(yield* outcome, { _tag: "ProviderError", retryable: true })
    }).pipe(Effect.scoped)
  )

  it.live("treats the prediction of a restarted server as lost", () =>
    Effect.gen(function* () {
      const { begin, upstream } = yield* setUp({ slots: 4 })
      const { accepted, outcome } = yield* begin(held)
      yield* accepted
      yield* upstream.setHealth("STARTING")
      assert.strictEqual((yield* outcome)._tag, "Lost")
    }).pipe(Effect.scoped)
  )

  it.live("ignores a free slot of several, and treats a single free slot as a loss", () =>
    Effect.gen(function* () {
      const one = yield* setUp()
      const several = yield* setUp({ slots: 4 })
      const { input: _, ...looked } = one.job
      for (const { upstream } of [one, several]) yield* upstream.setHealth("READY")
      const lost = yield* one.begin(held)
      const going = yield* several.begin(held)
      yield* going.accepted
      assert.strictEqual((yield* lost.outcome)._tag, "Lost")
      assert.isUndefined(going.fiber.pollUnsafe())
      assert.deepStrictEqual(yield* one.provider.look(looked, "x"), { _tag: "Unknown" })
      assert.deepStrictEqual(yield* several.provider.look({ ...looked, binding: several.job.binding }, "x"), {
        _tag: "Alive"
      })
      yield* several.upstream.release
      assert.strictEqual((yield* going.outcome)._tag, "Succeeded")
    }).pipe(Effect.scoped)
  )

  it.live("cancels a prediction if it is unknown whether it was accepted", () =>
    Effect.gen(function* () {
      const { begin, upstream } = yield* setUp()
      assert.deepInclude(yield* (yield* begin({ _tag: "Resets" })).outcome, {
        _tag: "ProviderError",
        retryable: true
      })
      assert.deepStrictEqual(yield* upstream.cancels, ["rq0000000000000000001-1"])
    }).pipe(Effect.scoped)
  )

  it.live("does not wait for the webhook of a cancelled prediction that is gone", () =>
    Effect.gen(function* () {
      const { begin, upstream } = yield* setUp({}, { ...Surroundings.pace, patienceMs: 60_000 })
      const { accepted, outcome, stop } = yield* begin(held)
      yield* accepted
      yield* upstream.silence
      yield* stop
      assert.deepStrictEqual(yield* outcome, { _tag: "Stopped" })
    }).pipe(Effect.scoped)
  )

  it.live("reports complete lines", () =>
    Effect.gen(function* () {
      const { begin } = yield* setUp()
      const { outcome, reports } = yield* begin({ _tag: "Succeeds" })
      yield* outcome
      assert.deepStrictEqual(reports, [
        "started",
        { fraction: null, logs: ["loading weights"] },
        { fraction: null, logs: ["step 1"] }
      ])
    }).pipe(Effect.scoped)
  )
})
