import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { units } from "#domain/Money.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"

const gpu: ProviderBinding = { name: "gpu", adapter: "http" }
const pull: ProviderBinding = { name: "pull", adapter: "pull" }
const builtin: ProviderBinding = { name: "builtin", adapter: "builtin" }

const succeeded: ProviderOutcome = { _tag: "Succeeded", output: 1, delivered: units(1) }
const modelFailed: ProviderOutcome = { _tag: "ModelFailed", message: "out of memory" }
const refused: ProviderOutcome = { _tag: "ProviderError", message: "no", retryable: false }
const reset: ProviderOutcome = { _tag: "ProviderError", message: "reset", retryable: true }
const lost: ProviderOutcome = { _tag: "Lost", message: "gone" }
const rateLimited = (retryAfterMs: number): ProviderOutcome => ({ _tag: "RateLimited", retryAfterMs })

const quiet = Layer.succeed(References.MinimumLogLevel, "None")
const layer = ProviderHealth.layer.pipe(Layer.provide(quiet))

const ends = (outcome: ProviderOutcome | null, count = 1, binding = gpu) =>
  Effect.map(ProviderHealth, (health) => {
    for (let run = 0; run < count; run++) health.begin(binding).ended(outcome)
    return health
  })

describe("A provider's health", () => {
  it.effect.each([
    ["a transport error", reset, 0],
    ["a lost run", lost, 0],
    ["a failed run", modelFailed, Infinity],
    ["a refusal", refused, Infinity],
    ["a node that goes down", null, Infinity]
  ] as const)("after five times %s", ([, outcome, admitted]) =>
    Effect.gen(function* () {
      const health = yield* ends(outcome, 5)
      assert.strictEqual(health.admits(gpu), admitted)
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([
    ["degrades when silent runs exceed their models' limits", false, 0],
    ["is unaffected when runs that report exceed their models' limits", true, Infinity]
  ] as const)("%s", ([, isHeardOf, admitted]) =>
    Effect.gen(function* () {
      const health = yield* ProviderHealth
      for (let run = 0; run < 5; run++) {
        const watch = health.begin(gpu)
        watch.timedOut(isHeardOf)
        watch.ended(null)
      }
      assert.strictEqual(health.admits(gpu), admitted)
      assert.strictEqual(health.state("gpu").ended.timed_out, 5)
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([
    ["a single input that it answers with 500", 500, [1, 1, 1, 1, 1, 1], Infinity],
    ["a single input that breaks connections", undefined, [1, 1, 1, 1, 1, 1], Infinity],
    ["several inputs that it answers with 500", 500, [1, 2, 3, 4, 5], 0],
    ["a single input when it is overloaded", 503, [1, 1, 1, 1, 1, 1], Infinity],
    ["several inputs when it is overloaded", 503, [1, 2, 3, 4, 5], 0]
  ] as const)("with %s", ([, status, inputs, admitted]) =>
    Effect.gen(function* () {
      const health = yield* ProviderHealth
      const outcome: ProviderOutcome = { ...reset, ...(status !== undefined && { upstream: { status } }) }
      health.begin(gpu).ended(succeeded)
      for (const input of inputs) {
        const watch = health.begin(gpu)
        watch.asked({ requestId: `rq${input}`, input: { prompt: input } })
        watch.ended(outcome)
      }
      assert.strictEqual(health.admits(gpu), admitted)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is tested with one run after a while, and the next one waits for its result", () =>
    Effect.gen(function* () {
      const health = yield* ends(reset, 5)
      assert.deepStrictEqual([health.admits(gpu), health.admitsIn(gpu)], [0, 5_000])
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual([health.admits(gpu), health.admitsIn(gpu)], [1, null])
      const probe = health.begin(gpu)
      assert.strictEqual(health.admits(gpu), 0)
      probe.ended(succeeded)
      assert.strictEqual(health.admits(gpu), Infinity)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is shared by all models that bind its name, and separate from other providers", () =>
    Effect.gen(function* () {
      const health = yield* ends(reset, 5)
      assert.strictEqual(health.admits({ ...gpu, url: "http://elsewhere" }), 0)
      assert.strictEqual(health.admits({ ...gpu, name: "cpu" }), Infinity)
    }).pipe(Effect.provide(layer))
  )

  it.effect("counts each run's end once", () =>
    Effect.gen(function* () {
      const health = yield* ProviderHealth
      const watch = health.begin(gpu)
      watch.ended(reset)
      watch.ended(reset)
      watch.ended(null)
      assert.strictEqual(health.state("gpu").ended.transport_error, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("of workers that fetch their runs is not limited: one that rejects does not affect others", () =>
    Effect.gen(function* () {
      yield* ends(rateLimited(30_000), 1, pull)
      const health = yield* ends(reset, 100, pull)
      assert.deepStrictEqual([health.admits(pull), health.admitsIn(pull)], [Infinity, null])
    }).pipe(Effect.provide(layer))
  )

  it.effect("of this process itself is not limited: its runs are counted only", () =>
    Effect.gen(function* () {
      const health = yield* ends(reset, 100, builtin)
      assert.strictEqual(health.admits(builtin), Infinity)
      assert.strictEqual(health.state("builtin").ended.transport_error, 100)
    }).pipe(Effect.provide(layer))
  )
})

describe("A pause", () => {
  it.effect("is as long as the provider requests, and does not change the circuit", () =>
    Effect.gen(function* () {
      const health = yield* ends(rateLimited(30_000), 10)
      assert.deepStrictEqual(
        [health.admits(gpu), health.admitsIn(gpu), health.pausedMs(gpu)],
        [0, 30_000, 30_000]
      )
      yield* TestClock.adjust("29999 millis")
      assert.strictEqual(health.admits(gpu), 0)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(
        [health.admits(gpu), health.admitsIn(gpu), health.pausedMs(gpu)],
        [Infinity, null, 0]
      )
      assert.strictEqual(health.state("gpu").circuit, "Closed")
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not shortened by a later, shorter one", () =>
    Effect.gen(function* () {
      yield* ends(rateLimited(30_000))
      assert.strictEqual((yield* ends(rateLimited(1_000))).pausedMs(gpu), 30_000)
    }).pipe(Effect.provide(layer))
  )

  it.effect.each<readonly [number, number]>([
    [0, 250],
    [-1, 250],
    [Number.NaN, 250],
    [Number.POSITIVE_INFINITY, 3_600_000]
  ])("of %d ms is bounded to %d ms", ([asked, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* ends(rateLimited(asked))).pausedMs(gpu), expected)
    }).pipe(Effect.provide(layer))
  )

  it.effect("of a test run allows another test run", () =>
    Effect.gen(function* () {
      yield* ends(reset, 5)
      yield* TestClock.adjust("5 seconds")
      const health = yield* ends(rateLimited(2_000))
      assert.strictEqual(health.admitsIn(gpu), 2_000)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(health.admits(gpu), 1)
    }).pipe(Effect.provide(layer))
  )
})

describe("The log", () => {
  it.effect("has one line for each change of a provider's state", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make<unknown, void>(({ message }) => void lines.push([message].flat().join(" ")))
    return Effect.gen(function* () {
      yield* ends(reset, 20)
      yield* TestClock.adjust("5 seconds")
      yield* ends(succeeded, 3)
      yield* ends(rateLimited(1_000), 5)
      assert.deepStrictEqual(lines, [
        "A provider fails: no runs begin there for a while",
        "A provider that failed is tried again, with one run",
        "A provider that failed is well again",
        "A provider requests a pause"
      ])
    }).pipe(Effect.provide(ProviderHealth.layer.pipe(Layer.provide(Logger.layer([logger])))))
  })
})

describe("An operator", () => {
  it.effect("sees why no run begins at a provider, and when the next one is tried", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000_000)
      const health = yield* ends(reset, 5)
      const [open] = health.details()
      assert.deepStrictEqual(open, {
        name: "gpu",
        circuit: "Open",
        heldSince: 1_000_000,
        failures: 5,
        nextTryAt: 1_005_000,
        pausedUntil: null,
        unreachable: null,
        lastError: { outcome: "transport_error", message: "reset", at: 1_000_000 }
      })
      yield* ends(rateLimited(60_000), 1, { name: "busy", adapter: "http" })
      assert.deepInclude(health.details()[1], {
        circuit: "Closed",
        heldSince: null,
        nextTryAt: 1_060_000,
        pausedUntil: 1_060_000
      })
      yield* ends(refused, 1, { name: "busy", adapter: "http" })
      assert.deepInclude(health.details()[1]?.lastError, { outcome: "refused", message: "no" })
      yield* ends(succeeded, 1, { name: "busy", adapter: "http" })
      assert.deepInclude(health.details()[1]?.lastError, { outcome: "refused" })
    }).pipe(Effect.provide(layer))
  )

  it.effect("resets circuit, pause and outage of one provider at once", () =>
    Effect.gen(function* () {
      const away: ProviderBinding = { name: "gpu", adapter: "http", url: "http://10.0.0.1" }
      const health = yield* ends(reset, 5)
      health.begin(away).ended({ _tag: "Unreachable", reason: "connection_refused", message: "refused" })
      health.begin(away).ended(rateLimited(60_000))
      yield* ends(reset, 5, { name: "other", adapter: "http" })
      assert.deepInclude(health.details()[0], { unreachable: "connection_refused" })
      const before = health.begin(gpu)
      health.reset("gpu")
      health.reset("unknown")
      assert.deepInclude(health.details()[0], {
        circuit: "Closed",
        failures: 0,
        nextTryAt: null,
        pausedUntil: null,
        unreachable: null
      })
      assert.deepStrictEqual([health.admits(gpu), health.admits(away)], [Infinity, Infinity])
      assert.strictEqual(health.admits({ name: "other", adapter: "http" }), 0)
      // Runs from before the reset do not open it again.
      before.ended(reset)
      yield* ends(reset, 4)
      assert.strictEqual(health.admits(gpu), Infinity)
    }).pipe(Effect.provide(layer))
  )
})
