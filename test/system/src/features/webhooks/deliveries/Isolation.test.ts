/** Silent receivers and busy accounts do not delay others. */
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type * as Http from "node:http"
import { DeliveryLimits } from "#src/features/webhooks/deliveries/DeliveryLimits.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as Facts from "#test/support/src/features/webhooks/deliveries/DeliveryFacts.ts"
import * as Hook from "#test/support/src/features/webhooks/deliveries/Hook.ts"
import * as TestTime from "#test/support/TestTime.ts"

const usual: DeliveryLimits = {
  inAll: 200,
  perAccount: 150,
  silent: 100,
  silentPerAccount: 100,
  perSilentLane: 1,
  perLane: 8,
  perReceiver: 12,
  bytes: 64 * 1024 * 1024,
  bytesPerAccount: 64 * 1024 * 1024,
  bytesPerReceiver: 64 * 1024 * 1024
}

const layer = (limits: Partial<DeliveryLimits> = {}) =>
  TestNode.layer({ models: [Facts.model], delivers: true }).pipe(
    Layer.provide(Layer.succeed(DeliveryLimits, { ...usual, ...limits }))
  )

const unanswered = () => {}

const many = (count: number, url: string, account = "acc_default") =>
  Effect.forEach(
    Array.makeBy(count, () => url),
    (url) => Facts.ended(url, { account })
  )

const hooks = (count: number, answer: Hook.Answer) => Effect.replicateEffect(Hook.make(answer), count)

const openAt = (all: ReadonlyArray<Hook.Hook>) => all.reduce((sum, hook) => sum + hook.open().now, 0)

describe("Receivers that never answer", () => {
  it.effect("do not delay others, at any attempt", () =>
    Effect.gen(function* () {
      const silent = yield* hooks(40, unanswered)
      const live = yield* Hook.make()
      for (const { url } of silent) yield* many(3, url)
      for (const hook of silent) yield* hook.until(1)
      const first = yield* many(20, live.url)
      for (const { id } of first) yield* Facts.untilPhase(id, "Delivered")
      // All are known to be silent and are due again.
      yield* TestClock.adjust("15 seconds")
      yield* Facts.rest
      yield* TestClock.adjust("5 seconds")
      for (const hook of silent) yield* hook.until(2)
      const second = yield* many(20, live.url)
      for (const { id } of second) yield* Facts.untilPhase(id, "Delivered")
      assert.lengthOf(live.posted(), 40)
    }).pipe(Effect.provide(layer({ inAll: 100, perAccount: 100, silent: 50 })))
  )

  it.effect("leave slots to receivers that answered last, from the first attempt on", () =>
    Effect.gen(function* () {
      const live = yield* Hook.make()
      for (const { id } of yield* many(1, live.url)) yield* Facts.untilPhase(id, "Delivered")
      const silent = yield* hooks(40, unanswered)
      for (const { url } of silent) yield* many(1, url)
      yield* Facts.rest
      assert.strictEqual(openAt(silent), 20)
      for (const { id } of yield* many(30, live.url)) yield* Facts.untilPhase(id, "Delivered")
      yield* TestClock.adjust("15 seconds")
      yield* Facts.rest
      yield* TestClock.adjust("5 seconds")
      yield* Facts.rest
      assert.strictEqual(openAt(silent), 20)
      for (const { id } of yield* many(30, live.url)) yield* Facts.untilPhase(id, "Delivered")
      assert.strictEqual(openAt(silent), 20)
    }).pipe(Effect.provide(layer({ inAll: 40, silent: 20 })))
  )

  it.effect("get one delivery at a time, and finally all", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(unanswered)
      const all = yield* many(6, hook.url)
      yield* hook.until(1)
      yield* Facts.rest
      assert.deepStrictEqual(hook.open(), { now: 1, most: 1 })
      yield* TestClock.adjust("15 seconds")
      yield* hook.until(2)
      yield* Facts.rest
      assert.strictEqual(hook.open().now, 1)
      assert.lengthOf(hook.posted(), 2)
      hook.answerWith(204)
      yield* TestClock.adjust("15 seconds")
      yield* TestTime.passDuring(Effect.forEach(all, ({ id }) => Facts.untilPhase(id, "Delivered")))
    }).pipe(Effect.provide(layer()))
  )

  it.effect("are bounded in total", () =>
    Effect.gen(function* () {
      const silent = yield* hooks(12, unanswered)
      for (const { url } of silent) yield* many(1, url)
      yield* Facts.rest
      assert.strictEqual(openAt(silent), 5)
      yield* TestClock.adjust("15 seconds")
      yield* Facts.rest
      assert.strictEqual(openAt(silent), 5)
      assert.strictEqual(silent.filter((hook) => hook.posted().length > 0).length, 10)
    }).pipe(Effect.provide(layer({ inAll: 5 })))
  )
})

describe("A receiver that answers", () => {
  it.effect("gets one more delivery at a time with every answer, up to the limit", () =>
    Effect.gen(function* () {
      const open: Array<Http.ServerResponse> = []
      const hook = yield* Hook.make((response) => open.push(response))
      const all = yield* many(40, hook.url)
      const answer = Effect.suspend(() => {
        open.shift()?.writeHead(204).end()
        return Facts.rest
      })
      yield* hook.until(1)
      const widths: Array<number> = []
      for (let round = 0; round < 10; round++) {
        yield* Facts.rest
        widths.push(open.length)
        yield* answer
      }
      assert.deepStrictEqual(widths, [1, 2, 3, 4, 5, 6, 7, 8, 8, 8])
      while (open.length > 0) yield* answer
      for (const { id } of all) yield* Facts.untilPhase(id, "Delivered")
      assert.lengthOf(hook.posted(), 40)
      assert.strictEqual(hook.open().most, 8)
    }).pipe(Effect.provide(layer()))
  )
})

describe("An account", () => {
  it.effect("over its limit leaves slots to others", () =>
    Effect.gen(function* () {
      const silent = yield* hooks(8, unanswered)
      for (const { url } of silent) yield* many(2, url, "acc_flood")
      yield* Facts.rest
      assert.strictEqual(openAt(silent), 6)
      const live = yield* Hook.make()
      for (const { id } of yield* many(5, live.url, "acc_quiet")) yield* Facts.untilPhase(id, "Delivered")
      assert.strictEqual(openAt(silent), 6)
    }).pipe(Effect.provide(layer({ inAll: 8, perAccount: 6 })))
  )

  it.effect("with few due deliveries does not wait for one with many", () =>
    Effect.gen(function* () {
      const flood = yield* hooks(6, 500)
      const quiet = yield* Hook.make(500)
      const order: Array<string> = []
      const noted = (name: string) => (response: Http.ServerResponse) => {
        order.push(name)
        response.writeHead(204).end()
      }
      const floods = yield* Effect.forEach(flood, ({ url }) => many(5, url, "acc_flood"))
      const quiets = yield* many(3, quiet.url, "acc_quiet")
      for (const { id } of [...floods.flat(), ...quiets]) yield* Facts.untilAttempts(id, 1)
      for (const hook of flood) hook.answerWith(noted("flood"))
      quiet.answerWith(noted("quiet"))
      yield* TestClock.adjust("5 seconds")
      for (const { id } of [...floods.flat(), ...quiets]) yield* Facts.untilPhase(id, "Delivered")
      assert.lengthOf(order, 33)
      assert.isBelow(order.lastIndexOf("quiet"), 8)
    }).pipe(Effect.provide(layer({ inAll: 1 })))
  )
})

describe("A URL that hangs", () => {
  it.effect("does not delay other URLs of its account at the same receiver, if few hang", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make((response) => {
        if (response.req.url?.startsWith("/hang") !== true) response.writeHead(204).end()
      })
      yield* many(3, `${hook.origin}/hang`)
      yield* hook.until(3)
      const well = yield* many(10, `${hook.origin}/well`)
      for (const { id } of well) yield* Facts.untilPhase(id, "Delivered")
      assert.strictEqual(hook.open().now, 3)
      yield* Facts.pass(15)
      const later = yield* many(10, `${hook.origin}/well`)
      for (const { id } of later) yield* Facts.untilPhase(id, "Delivered")
    }).pipe(Effect.provide(layer({ silent: 400, silentPerAccount: 400, perSilentLane: 4 })))
  )
})

describe("Accounts that share a receiver", () => {
  it.effect("are independent: one that hangs does not delay the other", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make((response) => {
        if (response.req.url?.startsWith("/hang") !== true) response.writeHead(204).end()
      })
      yield* many(20, `${hook.origin}/hang`, "acc_flood")
      yield* hook.until(1)
      const quiet = yield* many(20, `${hook.origin}/well`, "acc_quiet")
      for (const { id } of quiet) yield* Facts.untilPhase(id, "Delivered")
      assert.strictEqual(hook.open().now, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("all get slots, even when one has many waiting deliveries", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make((response) => {
        if (response.req.url?.startsWith("/hang") !== true) response.writeHead(204).end()
      })
      yield* many(20, `${hook.origin}/hang`, "acc_flood")
      yield* hook.until(1)
      const quiet = yield* many(5, `${hook.origin}/well`, "acc_quiet")
      for (let time = 0; time < 6; time++)
        yield* TestTime.passDuring(Effect.forEach(quiet, ({ id }) => Facts.untilPhase(id, "Delivered")))
    }).pipe(Effect.provide(layer({ inAll: 1 })))
  )
})

describe("Bodies in transit", () => {
  it.effect("are bounded by their bytes, and waiting ones are sent afterwards", () =>
    Effect.gen(function* () {
      const silent = yield* hooks(5, unanswered)
      const input = { value: "x".repeat(100_000) }
      const all = yield* Effect.forEach(silent, ({ url }) => Facts.ended(url, { input }))
      yield* Facts.rest
      assert.strictEqual(openAt(silent), 2)
      for (const hook of silent) hook.answerWith(204)
      yield* TestClock.adjust("15 seconds")
      yield* TestTime.passDuring(Effect.forEach(all, ({ id }) => Facts.untilPhase(id, "Delivered")))
    }).pipe(Effect.provide(layer({ bytes: 600_000 })))
  )
})
