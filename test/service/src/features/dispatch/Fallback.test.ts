import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Sweeper } from "#src/features/dispatch/sweep/Sweeper.ts"
import { HasCredential } from "#src/features/provider-health/Credentials.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded } from "#test/support/TestModels.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import * as Fleet from "#test/support/src/features/dispatch/Fleet.ts"

const alone = Fleet.modelAt("test/alone", [{ name: "a" }])
const brief = Fleet.modelAt("test/brief", [{ name: "a" }], { queueTimeout: 60 })
const pair = Fleet.modelAt("test/pair", [{ name: "a" }, { name: "b" }])
const trio = Fleet.modelAt("test/trio", [{ name: "a" }, { name: "b" }, { name: "c" }])
const elsewhere = Fleet.modelAt("test/elsewhere", [{ name: "x", adapter: "fal" }, { name: "b" }])
const layer = Fleet.layer([alone, brief, pair, trio, elsewhere])

describe("A model with several providers", () => {
  it.effect("runs at the first of them", () =>
    Effect.gen(function* () {
      const asked = Fleet.answering(yield* TestProvider, () => succeeded())
      const id = yield* Facts.submit({ model: trio })
      yield* Facts.untilEnd(id)
      assert.deepStrictEqual(asked, ["a"])
      assert.strictEqual((yield* Facts.untilType(id, "DispatchStarted")).provider, "a")
    }).pipe(Effect.provide(layer))
  )

  it.effect("runs at one whose adapter this server has", () =>
    Effect.gen(function* () {
      const asked = Fleet.answering(yield* TestProvider, () => succeeded())
      yield* Facts.untilEnd(yield* Facts.submit({ model: elsewhere }))
      assert.deepStrictEqual(asked, ["b"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("moves to the next one after each failure, in a circle", () =>
    Effect.gen(function* () {
      const asked = Fleet.answering(yield* TestProvider, () =>
        asked.length < 5 ? Fleet.transportError : succeeded()
      )
      const id = yield* Facts.submit({ model: trio })
      yield* Fleet.passRetries(id, 4)
      assert.lengthOf(Facts.ofType(yield* Facts.untilEnd(id), "RequestCompleted"), 1)
      assert.deepStrictEqual(asked, ["a", "b", "c", "a", "b"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is tried at all providers before a rejection counts, and the last message is returned", () =>
    Effect.gen(function* () {
      const asked = Fleet.answering(yield* TestProvider, (name) => ({
        ...Fleet.refused,
        message: `${name} has no such model`
      }))
      const id = yield* Facts.submit({ model: trio })
      yield* Fleet.passRetries(id, 2)
      const [failed] = Facts.ofType(yield* Facts.untilEnd(id), "RequestFailed")
      assert.deepStrictEqual(asked, ["a", "b", "c"])
      assert.deepInclude(failed, { reason: "refused", message: "c has no such model", attempt: 3 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("is tried at all of them even if a run was postponed before", () =>
    Effect.gen(function* () {
      const asked = Fleet.answering(yield* TestProvider, (name) => {
        if (asked.length === 1) return Fleet.rateLimited(250)
        return name === "a" ? succeeded() : Fleet.refused
      })
      const id = yield* Facts.submit({ model: pair })
      yield* Fleet.passRetries(id, 2)
      assert.lengthOf(Facts.ofType(yield* Facts.untilEnd(id), "RequestCompleted"), 1)
      assert.deepStrictEqual(asked, ["a", "b", "a"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("runs at another one at once when one requests a pause", () =>
    Effect.gen(function* () {
      const asked = Fleet.answering(yield* TestProvider, (name) =>
        name === "a" ? Fleet.rateLimited(3_600_000) : succeeded()
      )
      const id = yield* Facts.submit({ model: pair })
      yield* Facts.untilType(id, "RequestRequeued")
      yield* TestClock.adjust("250 millis")
      yield* Facts.untilEnd(id)
      yield* Facts.untilEnd(yield* Facts.submit({ model: pair }))
      assert.deepStrictEqual(asked, ["a", "b", "b"])
    }).pipe(Effect.provide(layer))
  )
})

const without = (...names: ReadonlyArray<string>) =>
  layer.pipe(Layer.provide(Layer.succeed(HasCredential, ({ name }) => !names.includes(name))))

describe("A provider whose credential this node does not have", () => {
  it.effect("gets no runs: they begin at the next one", () =>
    Effect.gen(function* () {
      const asked = Fleet.answering(yield* TestProvider, () => succeeded())
      yield* Facts.untilEnd(yield* Facts.submit({ model: pair }))
      assert.deepStrictEqual(asked, ["b"])
    }).pipe(Effect.provide(without("a")))
  )

  it.effect("fails no request: they wait, at most for the model's queueTimeout", () =>
    Effect.gen(function* () {
      const asked = Fleet.answering(yield* TestProvider, () => succeeded())
      const id = yield* Facts.submit({ model: brief })
      yield* Facts.untilEnd(yield* Facts.submit({ model: pair }))
      assert.deepStrictEqual(asked, ["b"])
      assert.deepStrictEqual(yield* Facts.types(id), ["RequestSubmitted"])
      const sweep = Effect.flatMap(Sweeper, (sweeper) => sweeper.sweep)
      yield* sweep
      assert.deepStrictEqual(yield* Facts.types(id), ["RequestSubmitted"])
      yield* TestClock.adjust("61 seconds")
      yield* sweep
      assert.deepInclude(Facts.ofType(yield* Facts.untilEnd(id), "RequestCancelled")[0], {
        limit: "queue_timeout"
      })
    }).pipe(Effect.provide(without("a")))
  )
})

describe("A provider that fails", () => {
  it.effect("runs requests at once when an operator resets it", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      Fleet.answering(provider, () => Fleet.transportError)
      const ids = yield* Effect.replicateEffect(Facts.submit({ model: alone }), 5)
      yield* Effect.forEach(ids, (id) => Facts.untilType(id, "RequestRequeued"))
      const asked = Fleet.answering(provider, () => succeeded())
      const late = yield* Facts.submit({ model: alone })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(asked, [])
      const health = yield* ProviderHealth
      health.reset("a")
      yield* Facts.untilEnd(late)
      assert.isAtLeast(asked.length, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is avoided after five failures, uses up no attempts meanwhile, and is tested with one run", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const asked = Fleet.answering(provider, () => Fleet.transportError)
      const ids = yield* Effect.replicateEffect(Facts.submit({ model: alone }), 5)
      yield* Effect.forEach(ids, (id) => Facts.untilType(id, "RequestRequeued"))
      assert.lengthOf(asked, 5)
      const late = yield* Facts.submit({ model: alone })
      yield* TestClock.adjust("4999 millis")
      assert.lengthOf(asked, 5)
      assert.deepStrictEqual(yield* Facts.types(late), ["RequestSubmitted"])
      yield* TestClock.adjust("1 millis")
      yield* Facts.until(ids[0] ?? assert.fail(), () => asked.length > 5)
      assert.lengthOf(asked, 6)
      // It has failed again, so the delay doubles.
      yield* TestClock.adjust("9999 millis")
      assert.lengthOf(asked, 6)
      Fleet.answering(provider, () => succeeded())
      yield* TestClock.adjust("1 millis")
      for (const id of [...ids, late]) {
        const all = yield* Facts.untilEnd(id)
        assert.lengthOf(Facts.ofType(all, "RequestCompleted"), 1)
        assert.isAtMost(Facts.ofType(all, "DispatchStarted").length, 3)
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("is replaced by the next one while avoided, and is used again when it has recovered", () =>
    Effect.gen(function* () {
      let isWell = false
      const asked = Fleet.answering(yield* TestProvider, (name) =>
        name === "a" && !isWell ? Fleet.transportError : succeeded()
      )
      const ids = yield* Effect.replicateEffect(Facts.submit({ model: pair }), 5)
      yield* Effect.forEach(ids, (id) => Facts.untilType(id, "RequestRequeued"))
      yield* TestClock.adjust("1 second")
      yield* Effect.forEach(ids, Facts.untilEnd)
      yield* Facts.untilEnd(yield* Facts.submit({ model: pair }))
      assert.deepStrictEqual(asked.slice(5), ["b", "b", "b", "b", "b", "b"])
      isWell = true
      yield* TestClock.adjust("5 seconds")
      yield* Facts.untilEnd(yield* Facts.submit({ model: pair }))
      yield* Facts.untilEnd(yield* Facts.submit({ model: pair }))
      assert.deepStrictEqual(asked.slice(11), ["a", "a"])
    }).pipe(Effect.provide(layer))
  )
})

describe("A provider that asks for a pause", () => {
  it.effect("gets it: no other request runs into a 429, and all continue afterwards", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const asked = Fleet.answering(provider, () => Fleet.rateLimited(30_000))
      const first = yield* Facts.submit({ model: alone })
      yield* Facts.untilType(first, "RequestRequeued")
      const others = yield* Effect.replicateEffect(Facts.submit({ model: alone }), 20)
      yield* TestClock.adjust("29999 millis")
      assert.lengthOf(asked, 1)
      Fleet.answering(provider, () => succeeded())
      yield* TestClock.adjust("1 millis")
      for (const id of others) {
        assert.lengthOf(Facts.ofType(yield* Facts.untilEnd(id), "DispatchStarted"), 1)
      }
      yield* Facts.untilEnd(first)
    }).pipe(Effect.provide(layer))
  )
})
