/** While the log, a body or a secret is unavailable: nothing is lost, sent too often, or retried without a pause. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { defaultGraceMs } from "#domain/account/SigningSecret.ts"
import { inlineLimit } from "#domain/PayloadRef.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import * as DeliverySender from "#src/features/webhooks/deliveries/DeliverySender.ts"
import { SigningSecrets } from "#src/features/webhooks/SigningSecrets.ts"
import * as SigningNode from "#test/support/src/features/webhooks/SigningNode.ts"
import { AppendFaults, type Fate } from "#test/support/AppendFaults.ts"
import { caller } from "#test/support/RequestFacts.ts"
import { TestAccounts } from "#test/support/TestAccounts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as Facts from "#test/support/src/features/webhooks/deliveries/DeliveryFacts.ts"
import * as Hook from "#test/support/src/features/webhooks/deliveries/Hook.ts"
import * as TestTime from "#test/support/TestTime.ts"

const layer = TestNode.layer({ models: [Facts.model], delivers: true })

/** The same, with the sender's log lines. */
const telling = (lines: Array<string>) =>
  DeliverySender.layer.pipe(
    Layer.provideMerge(TestNode.layer({ models: [Facts.model] })),
    Layer.provide(SigningNode.logging(lines))
  )

/** Sets the result of appends with an event of the type from now on. Returns the number of tries. */
const decide = (type: string, fate: Exclude<Fate, "stored"> = "refused") =>
  Effect.map(AppendFaults, (faults) => {
    let tries = 0
    faults.decide(({ events }) => {
      if (!events.some((event) => event.type === type)) return "stored"
      tries++
      return fate
    })
    return () => tries
  })

const large = { value: "x".repeat(inlineLimit + 1) }

describe("When the log refuses", () => {
  it.effect("that a delivery is scheduled, it is retried every 5 s, and sent once", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const hook = yield* Hook.make()
      const tries = yield* decide("DeliveryScheduled")
      const { id } = yield* Facts.ended(hook.url)
      yield* Facts.pass(61)
      assert.isAtLeast(tries(), 12)
      assert.isAtMost(tries(), 14)
      assert.isAtMost(lines.length, 2)
      assert.include(lines.join(), "A webhook cannot be sent for now")
      assert.lengthOf(hook.posted(), 0)
      yield* Facts.heal
      assert.deepInclude(yield* TestTime.passDuring(Facts.untilPhase(id, "Delivered")), { attempts: 1 })
      assert.lengthOf(hook.posted(), 1)
    }).pipe(Effect.provide(telling(lines)))
  })

  it.effect("the claim of an attempt, nothing is sent and nothing counted", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(500)
      const { id } = yield* Facts.ended(hook.url)
      yield* Facts.untilAttempts(id, 1)
      const tries = yield* decide("AttemptStarted")
      yield* Facts.pass(66)
      assert.isAtLeast(tries(), 12)
      assert.isAtMost(tries(), 14)
      assert.lengthOf(hook.posted(), 1)
      yield* Facts.heal
      assert.deepInclude(yield* TestTime.passDuring(Facts.untilAttempts(id, 2)), { attempts: 2, used: 2 })
      assert.lengthOf(hook.posted(), 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("the record of an attempt, the record is retried, and nothing is sent meanwhile", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make()
      const tries = yield* decide("AttemptSucceeded")
      const { id } = yield* Facts.ended(hook.url)
      yield* hook.until(1)
      yield* Facts.pass(130)
      assert.isAtLeast(tries(), 120)
      assert.isAtMost(tries(), 132)
      assert.deepStrictEqual((yield* Facts.delivery(id)).phase._tag, "Delivering")
      yield* Facts.heal
      yield* Facts.pass(1)
      yield* Facts.untilPhase(id, "Delivered")
      yield* Facts.pass(130)
      assert.lengthOf(hook.posted(), 1)
    }).pipe(Effect.provide(layer))
  )
})

describe("When the log stores an append despite an error", () => {
  for (const [type, seconds] of [
    ["DeliveryScheduled", 0],
    ["AttemptStarted", 5]
  ] as const) {
    it.effect(`and it was a claim (${type}), the attempt counts as lost, and the next one follows`, () =>
      Effect.gen(function* () {
        const hook = yield* Hook.make(500)
        const faults = yield* AppendFaults
        if (seconds === 0) faults.fail(type, 1, "stored unheard")
        const { id } = yield* Facts.ended(hook.url)
        const before = seconds === 0 ? 0 : 1
        if (seconds > 0) {
          yield* Facts.untilAttempts(id, 1)
          faults.fail(type, 1, "stored unheard")
        }
        yield* Facts.pass(seconds + 61)
        const lost = yield* Facts.untilAttempts(id, before + 1)
        assert.strictEqual(Facts.endsOf(yield* Facts.events(id))[before]?._tag, "AttemptLost")
        assert.strictEqual(lost.used, before + 1)
        assert.lengthOf(hook.posted(), before)
        hook.answerWith(204)
        assert.deepInclude(yield* TestTime.passDuring(Facts.untilPhase(id, "Delivered")), {
          attempts: before + 2
        })
        assert.lengthOf(hook.posted(), before + 1)
      }).pipe(Effect.provide(layer))
    )
  }

  it.effect("and it was the record of an attempt, the record exists once", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make()
      const faults = yield* AppendFaults
      faults.fail("AttemptSucceeded", 1, "stored unheard")
      const { id } = yield* Facts.ended(hook.url)
      yield* Facts.untilPhase(id, "Delivered")
      yield* Facts.pass(130)
      assert.deepStrictEqual(yield* Facts.types(id), [
        "DeliveryScheduled",
        "AttemptStarted",
        "AttemptSucceeded"
      ])
      assert.lengthOf(hook.posted(), 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("each time, at most ten attempts are claimed", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(500)
      yield* decide("AttemptStarted", "stored unheard")
      const { id } = yield* Facts.ended(hook.url)
      yield* TestClock.adjust("4 hours")
      yield* Facts.untilPhase(id, "Failed")
      assert.lengthOf(Facts.startsOf(yield* Facts.events(id)), 10)
      assert.lengthOf(hook.posted(), 0)
    }).pipe(Effect.provide(layer))
  )
})

describe("When a webhook cannot be read or signed for a while", () => {
  it.effect("it waits, and no attempt is counted", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const hook = yield* Hook.make(500)
      const { id } = yield* Facts.ended(hook.url, { input: large })
      yield* Facts.untilAttempts(id, 1)
      const faults = yield* AppendFaults
      faults.failPayloads(1_000)
      yield* Facts.pass(66)
      assert.deepInclude(yield* Facts.delivery(id), { attempts: 1 })
      assert.isAtMost(lines.length, 2)
      faults.failPayloads(0)
      assert.deepInclude(yield* TestTime.passDuring(Facts.untilAttempts(id, 2)), { attempts: 2 })
      assert.lengthOf(hook.posted(), 2)
    }).pipe(Effect.provide(telling(lines)))
  })

  it.effect("because its account's secret is sealed under another key, it waits for a rotation", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const hook = yield* Hook.make()
      const { accountId } = caller()
      yield* (yield* TestAccounts).open(accountId)
      yield* (yield* AccountActors).execute(accountId, {
        _tag: "EnsureSigningSecret",
        at: 0,
        sealed: "of another key"
      })
      const { id } = yield* Facts.ended(hook.url)
      yield* Facts.pass(125)
      assert.deepInclude(yield* Facts.delivery(id), { attempts: 0 })
      const told = lines.filter((line) => line.includes("A webhook cannot be sent for now"))
      assert.isAtLeast(told.length, 2)
      assert.isAtMost(told.length, 3)
      const others = yield* Hook.make()
      const other = yield* Facts.ended(others.url, { account: "acc_other" })
      yield* Facts.untilPhase(other.id, "Delivered")
      yield* (yield* SigningSecrets).rotate(accountId, defaultGraceMs)
      assert.deepInclude(yield* TestTime.passDuring(Facts.untilPhase(id, "Delivered")), { attempts: 1 })
    }).pipe(Effect.provide(telling(lines)))
  })
})
